// The door for programs that speak the wire protocol: the command line and users of the hub client.
import type { AgentSession, CallHandle, CallListener } from "../../switchboard/index.ts";
import {
  PagewireError,
  chooseVersion,
  encodeFrame,
  encodeText,
  fromAgent,
  isErrorCode,
  parseFrame,
  parseTrace,
  shortMessage,
  sizeOf,
  wireVersions,
} from "../../wire/index.ts";
import type { AskMethod, FrameFromAgent, FrameToAgent, Outcome, Payload } from "../../wire/index.ts";
import { refuse } from "../sockets/closing.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { ServerLink } from "../sockets/socket-link.ts";
import type { Known } from "../sockets/sockets.ts";
import type { Door } from "./door.ts";
import type { Watchers } from "./watchers.ts";

type Frame<Type extends FrameFromAgent["type"]> = Extract<FrameFromAgent, { type: Type }>;

/** The size in a list frame. An agent that names none gets all tabs at once. */
function listed(agent: AgentSession, { what, tab, size, cursor, search }: Frame<"list">) {
  if (what === "offer") return { found: tab === undefined ? agent.offer() : agent.tabOffer(tab) };
  if (size === undefined) return { found: agent.tabs() };
  const { tabs, more } = agent.tabPage({ size, cursor, search });
  return { found: tabs, nextCursor: more?.nextCursor };
}

export interface AgentDoor extends Door {
  readonly known: Known;
  readonly watchers: Watchers;
}

/** Serves a link on which an agent will send its hello. */
export function serveAgent(link: ServerLink, admitted: Admitted | undefined, door: AgentDoor): void {
  const { limits, metrics } = door;
  const calls = new Map<string, CallHandle>();
  /** Ended calls whose outcome the agent had not read at the last check. */
  const unread = new Set<CallHandle>();
  let session: AgentSession | undefined;
  let principal = "";
  let greeted = false;
  let asks: readonly AskMethod[] = [];
  let stopWatching: (() => void) | undefined;
  let stopHeart: (() => void) | undefined;
  let leave: (() => void) | undefined;

  /** Returns whether the frame was sent: with the header that it has here, a page's payload may not fit any more. */
  const send = (frame: FrameToAgent, payload?: Payload): boolean => {
    if (typeof payload === "object" && payload.length > 0) {
      const head = `${encodeText(frame)}\n`;
      const fits = Buffer.byteLength(head) + payload.length <= limits.frameBytes;
      if (fits) link.sendParts(head, payload);
      return fits;
    }
    const message = encodeFrame(frame, payload);
    const fits = sizeOf(message) <= limits.frameBytes;
    if (fits) link.send(message);
    return fits;
  };

  const turnAway = (error: unknown) => {
    const named = PagewireError.isInstance(error)
      ? error
      : new PagewireError("internal-error", "The hub could not take the frame.", { cause: error });
    metrics.refused(named.code);
    door.note("warn", "agent-refused", { code: named.code });
    refuse(link, named);
  };

  async function welcome(hello: Frame<"hello">): Promise<void> {
    const version = chooseVersion(hello.versions);
    if (version === undefined) {
      throw new PagewireError(
        "version-unsupported",
        `This hub speaks wire versions ${wireVersions.join(", ")}. Update the older side.`,
      );
    }
    const who = admitted ?? (await door.credentials.agent(hello.token));
    if (!link.open) return;
    leave ??= door.known(who, link);
    const { agent } = hello;
    ({ principal } = who);
    asks = hello.asks ?? [];
    session = door.switchboard.agent({
      principal,
      identity: JSON.stringify([who.credential, agent.name, agent.version, hello.session]),
      name: agent.name,
      version: agent.version,
      allowed: who.allowed,
      door: "socket",
    });
    session.onChange(() => send({ type: "changed" }));
    send({ type: "welcome", version, agent: door.newId(), heartbeat: limits.heartbeatTime });
    const heart = setInterval(() => send({ type: "heartbeat" }), limits.heartbeatTime);
    stopHeart = () => clearInterval(heart);
    door.note("info", "agent-connected", { agent: agent.name });
  }

  function call(agent: AgentSession, frame: Frame<"call">, payload: Payload): void {
    const { id, method, name, tab, key, left } = frame;
    const trace = parseTrace(frame.trace);
    if (calls.has(id)) throw new PagewireError("frame-malformed", `Two calls have the id "${id}".`);
    const request = { method, name, arguments: payload, tab, key, left, asks, trace, refusal: door.refusal() };
    calls.set(id, agent.call(request, listenerFor(id)));
  }

  function listenerFor(id: string): CallListener {
    return {
      acked: (tab) => send({ type: "ack", id, tab }),
      progress: (progress, total, message) =>
        send({ type: "progress", id, progress, total, message: message && shortMessage(message) }),
      log: (level, data, logger) => send({ type: "log", id, level, logger }, data),
      ask(ask, method, parameters) {
        if (send({ type: "ask", id, ask, method }, parameters)) return;
        calls.get(id)?.answer(ask, { code: "frame-too-large", message: "The question is too large for a frame." });
      },
      ended(outcome) {
        const handle = calls.get(id);
        calls.delete(id);
        endCall(id, outcome);
        if (handle) unread.add(handle);
        if (link.queuedBytes > 0) return;
        for (const read of unread) read.received();
        unread.clear();
      },
    };
  }

  function endCall(
    id: string,
    { outcome, ran, payload, code = "internal-error", message = "", retryAfter, replay, notSaved }: Outcome,
  ): void {
    const isError = outcome === "tool-error" || undefined;
    if (payload === undefined) {
      const why = { outcome, ran, code, message: shortMessage(message), retryAfter };
      send({ type: "failure", id, ...why, replay, notSaved });
    } else if (!send({ type: "result", id, isError, replay, notSaved }, payload)) {
      const tooLarge = "The result is too large: with its header it exceeds the limit frameBytes.";
      send({ type: "failure", id, outcome: "tool-error", ran, code: "result-too-large", message: tooLarge });
    }
  }

  function list(agent: AgentSession, frame: Frame<"list">): void {
    const { id } = frame;
    try {
      const { found, nextCursor } = listed(agent, frame);
      if (send({ type: "listing", id, nextCursor }, JSON.stringify(found))) return;
      send({ type: "listing", id, code: "frame-too-large", message: "The list exceeds the limit frameBytes." });
    } catch (error) {
      if (!PagewireError.isInstance(error)) throw error;
      send({ type: "listing", id, code: error.code, message: shortMessage(error.message) });
    }
  }

  function answer({ id, ask, code, message = "" }: Frame<"answer">, payload: Payload): void {
    const failed = code === undefined ? undefined : isErrorCode(code) ? code : "ask-failed";
    calls.get(id)?.answer(ask, failed === undefined ? { payload } : { code: failed, message });
  }

  function take(frame: FrameFromAgent, payload: Payload): void {
    if (!session) {
      if (frame.type !== "hello" || greeted)
        throw new PagewireError(
          "hello-expected",
          "The first frame of an agent must be its hello, and it must be answered before the next.",
        );
      greeted = true;
      welcome(frame).catch(turnAway);
      return;
    }
    switch (frame.type) {
      case "call":
        return call(session, frame, payload);
      case "cancel":
        return calls.get(frame.id)?.cancel(frame.reason);
      case "answer":
        return answer(frame, payload);
      case "list":
        return list(session, frame);
      case "watch":
        stopWatching?.();
        stopWatching = frame.on
          ? door.watchers.add(principal, { session, link, batches: frame.batches === true })
          : undefined;
        return;
      case "hello":
      case "heartbeat":
        return;
    }
  }

  link.start({
    message(message) {
      const parsed = parseFrame(fromAgent, message, limits);
      if (parsed.kind === "unknown") return metrics.unknownFrame();
      try {
        if (parsed.kind === "refused") throw new PagewireError(parsed.close, parsed.message);
        take(parsed.frame, parsed.payload);
      } catch (error) {
        turnAway(error);
      }
    },
    closed() {
      leave?.();
      stopHeart?.();
      stopWatching?.();
      for (const handle of [...calls.values(), ...unread]) handle.cut();
      calls.clear();
      session?.close();
    },
  });
  try {
    leave = admitted && door.known(admitted, link);
  } catch (error) {
    turnAway(error);
  }
}
