// The door for programs that speak the wire protocol: the command line and users of the hub client.
import type { IncomingMessage } from "node:http";
import type { AgentSession, CallHandle, CallListener } from "../../switchboard/index.ts";
import {
  PagewireError,
  chooseVersion,
  closeReason,
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
import { agentOf } from "../identity/admitted.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { ServerLink } from "../sockets/socket-link.ts";
import type { Known } from "../sockets/sockets.ts";
import { stopping } from "./door.ts";
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

/** The request that opened the link, with its agent if it was authenticated. */
interface AgentUpgrade {
  readonly request: IncomingMessage;
  readonly admitted: Admitted | undefined;
}

/** Serves a link on which an agent will send its hello. */
export function serveAgent(link: ServerLink, from: AgentUpgrade, door: AgentDoor): void {
  new AgentConnection(link, from, door).start();
}

class AgentConnection {
  readonly #link: ServerLink;
  #from: AgentUpgrade | undefined;
  readonly #door: AgentDoor;
  readonly #calls = new Map<string, CallHandle>();
  /** Ended calls whose outcome the agent had not read at the last check. */
  readonly #unread = new Set<CallHandle>();
  #isReleaseDue = false;
  #isRetiring = false;
  #session: AgentSession | undefined;
  #principal = "";
  #isGreeted = false;
  #asks: readonly AskMethod[] = [];
  #stopWatching: (() => void) | undefined;
  #stopHeart: (() => void) | undefined;
  #leave: (() => void) | undefined;

  constructor(link: ServerLink, from: AgentUpgrade, door: AgentDoor) {
    this.#link = link;
    this.#from = from;
    this.#door = door;
  }

  start(): void {
    const { limits, metrics, known } = this.#door;
    this.#link.start({
      message: (message) => {
        const parsed = parseFrame(fromAgent, message, limits);
        if (parsed.kind === "unknown") return metrics.unknownFrame();
        try {
          if (parsed.kind === "refused") throw new PagewireError(parsed.close, parsed.message);
          this.#take(parsed.frame, parsed.payload);
        } catch (error) {
          this.#turnAway(error);
        }
      },
      closed: () => {
        this.#leave?.();
        this.#stopHeart?.();
        this.#stopWatching?.();
        for (const handle of [...this.#calls.values(), ...this.#unread]) handle.cut();
        this.#calls.clear();
        this.#session?.close();
      },
    });
    const admitted = this.#from?.admitted;
    try {
      this.#leave = admitted && known(admitted, this.#link, this.#retire);
    } catch (error) {
      this.#turnAway(error);
    }
  }

  /** Returns whether the frame was sent: with the header that it has here, a page's payload may not fit any more. */
  #send(frame: FrameToAgent, payload?: Payload): boolean {
    const { frameBytes } = this.#door.limits;
    if (typeof payload === "object" && payload.length > 0) {
      const head = `${encodeText(frame)}\n`;
      const fits = Buffer.byteLength(head) + payload.length <= frameBytes;
      if (fits) this.#link.sendParts(head, payload);
      return fits;
    }
    const message = encodeFrame(frame, payload);
    const fits = sizeOf(message) <= frameBytes;
    if (fits) this.#link.send(message);
    return fits;
  }

  #turnAway(error: unknown): void {
    const named = PagewireError.isInstance(error)
      ? error
      : new PagewireError("internal-error", "The hub could not take the frame.", { cause: error });
    this.#door.metrics.refused(named.code);
    this.#door.note("warn", "agent-refused", { code: named.code });
    refuse(this.#link, named);
  }

  async #welcome(hello: Frame<"hello">): Promise<void> {
    const { limits, credentials, known, newId, note, switchboard } = this.#door;
    const version = chooseVersion(hello.versions);
    if (version === undefined) {
      throw new PagewireError(
        "version-unsupported",
        `This hub speaks wire versions ${wireVersions.join(", ")}. Update the older side.`,
      );
    }
    const who = this.#from?.admitted ?? (await credentials.agent(hello.token, this.#from?.request));
    // A request takes memory for as long as it is known.
    this.#from = undefined;
    if (!this.#link.open) return;
    this.#leave ??= known(who, this.#link, this.#retire);
    const { agent } = hello;
    this.#principal = who.principal;
    this.#asks = hello.asks ?? [];
    this.#session = switchboard.agent({
      ...agentOf(who),
      identity: JSON.stringify([who.credential, agent.name, agent.version, hello.session]),
      name: agent.name,
      version: agent.version,
      door: "socket",
    });
    this.#session.onChange(() => this.#send({ type: "changed" }));
    this.#send({ type: "welcome", version, agent: newId(), heartbeat: limits.heartbeatTime });
    const heart = setInterval(() => this.#send({ type: "heartbeat" }), limits.heartbeatTime);
    this.#stopHeart = () => clearInterval(heart);
    note("info", "agent-connected", { agent: agent.name });
  }

  #call(agent: AgentSession, frame: Frame<"call">, payload: Payload): void {
    const { id, method, name, tab, key, left } = frame;
    const trace = parseTrace(frame.trace);
    const refusal = this.#isRetiring ? stopping : this.#door.refusal();
    if (this.#calls.has(id)) throw new PagewireError("frame-malformed", `Two calls have the id "${id}".`);
    const asks = this.#asks;
    const request = { method, name, arguments: payload, tab, key, left, asks, trace, refusal };
    this.#calls.set(id, agent.call(request, this.#listenerFor(id)));
  }

  #listenerFor(id: string): CallListener {
    return {
      acked: (tab) => this.#send({ type: "ack", id, tab }),
      progress: (progress, total, message) =>
        this.#send({ type: "progress", id, progress, total, message: message && shortMessage(message) }),
      log: (level, data, logger) => this.#send({ type: "log", id, level, logger }, data),
      answered: (ask) => void this.#send({ type: "answered", id, ask }),
      ask: (ask, method, parameters) => {
        if (this.#send({ type: "ask", id, ask, method }, parameters)) return;
        const message = "The question is too large for a frame.";
        this.#calls.get(id)?.answer(ask, { code: "frame-too-large", message });
      },
      ended: (outcome) => {
        const handle = this.#calls.get(id);
        this.#calls.delete(id);
        this.#endCall(id, outcome);
        if (handle) this.#unread.add(handle);
        if (!this.#isReleaseDue) setImmediate(() => this.#releaseRead());
        this.#isReleaseDue = true;
        if (this.#isRetiring) this.#retire();
      },
    };
  }

  /** Leaves the agent to another hub: closes the link when its calls have ended. */
  readonly #retire = (): void => {
    this.#isRetiring = true;
    if (this.#calls.size === 0) this.#link.close(closeReason("going-away"));
  };

  /** At the end of a turn: a disconnect before an outcome was sent may be read after what the outcome says. */
  #releaseRead(): void {
    this.#isReleaseDue = false;
    if (this.#link.queuedBytes > 0 || !this.#link.hasPeer()) return;
    for (const read of this.#unread) read.received();
    this.#unread.clear();
  }

  #endCall(
    id: string,
    { outcome, ran, payload, code = "internal-error", message = "", retryAfter, replay, notSaved }: Outcome,
  ): void {
    const isError = outcome === "tool-error" || undefined;
    if (payload === undefined) {
      const why = { outcome, ran, code, message: shortMessage(message), retryAfter };
      this.#send({ type: "failure", id, ...why, replay, notSaved });
    } else if (!this.#send({ type: "result", id, isError, replay, notSaved }, payload)) {
      const tooLarge = "The result is too large: with its header it exceeds the limit frameBytes.";
      this.#send({ type: "failure", id, outcome: "tool-error", ran, code: "result-too-large", message: tooLarge });
    }
  }

  #list(agent: AgentSession, frame: Frame<"list">): void {
    const { id } = frame;
    try {
      const { found, nextCursor } = listed(agent, frame);
      if (this.#send({ type: "listing", id, nextCursor }, JSON.stringify(found))) return;
      this.#send({ type: "listing", id, code: "frame-too-large", message: "The list exceeds the limit frameBytes." });
    } catch (error) {
      if (!PagewireError.isInstance(error)) throw error;
      this.#send({ type: "listing", id, code: error.code, message: shortMessage(error.message) });
    }
  }

  #answer({ id, ask, code, message = "" }: Frame<"answer">, payload: Payload): void {
    const failed = code === undefined ? undefined : isErrorCode(code) ? code : "ask-failed";
    this.#calls.get(id)?.answer(ask, failed === undefined ? { payload } : { code: failed, message });
  }

  #take(frame: FrameFromAgent, payload: Payload): void {
    const session = this.#session;
    if (!session) {
      if (frame.type !== "hello" || this.#isGreeted)
        throw new PagewireError(
          "hello-expected",
          "The first frame of an agent must be its hello, and it must be answered before the next.",
        );
      this.#isGreeted = true;
      this.#welcome(frame).catch((error: unknown) => this.#turnAway(error));
      return;
    }
    session.seen();
    switch (frame.type) {
      case "call":
        return this.#call(session, frame, payload);
      case "cancel":
        return this.#calls.get(frame.id)?.cancel(frame.reason);
      case "answer":
        return this.#answer(frame, payload);
      case "list":
        return this.#list(session, frame);
      case "watch":
        this.#stopWatching?.();
        this.#stopWatching = frame.on
          ? this.#door.watchers.add(this.#principal, { session, link: this.#link, batches: frame.batches === true })
          : undefined;
        return;
      case "hello":
      case "heartbeat":
        return;
    }
  }
}
