// Keeps a client connected to its hub: sends the hello, handles the welcome or the refusal, and notices a dead link.
// It knows the state of the connection and its messages; it knows neither calls nor lists.
import { createReconnect, missedHeartbeats } from "../link/index.ts";
import type { Clock, Link, LinkEvents, Waiting } from "../link/index.ts";
import {
  PagewireError,
  closeReason,
  encodeFrame,
  errorCodes,
  parseFrame,
  splitBatch,
  toAgent,
  wireVersions,
} from "../wire/index.ts";
import type { CloseName, FrameFromAgent, FrameToAgent, Limits, Message, Payload } from "../wire/index.ts";
import { isLasting, whyLost, whyNoLink, whyNotWelcome, whyRefused } from "./connection-errors.ts";
import type { HubClientState } from "./hub-client.ts";

export interface Connection {
  /** Sends a frame if a hub has welcomed this client; returns whether it did. */
  send(frame: FrameFromAgent, payload?: string): boolean;
  /** Closes the current link because of an invalid frame; another one is made. */
  drop(error: PagewireError, name?: CloseName): void;
  close(): void;
}

export interface ConnectionOptions {
  /** The hub's address, for messages. */
  readonly url: string;
  openLink(): Promise<Link>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: Limits;
  /** The hello for the link that was opened last. */
  hello(): Omit<Extract<FrameFromAgent, { type: "hello" }>, "type" | "versions">;
  onWelcome(): void;
  onFrame(frame: FrameToAgent, payload: Payload): void;
  /** A link on which this client was welcomed has ended. */
  onLost(): void;
  /** There is no connection and there will be no other. */
  onEnd(error: PagewireError): void;
  onState(state: HubClientState): void;
}

/** One link, from its hello to its end. */
interface Attempt {
  readonly link: Link;
  isWelcome: boolean;
  /** The interval of the hub's heartbeats. */
  heartbeat: number;
  /** Why the link ends, if more is known than its close reason. */
  error?: PagewireError;
}

const WELCOME_TIME = 10_000;

export function createConnection(options: ConnectionOptions): Connection {
  const { url, clock, limits, onState } = options;
  let attempt: Attempt | undefined;
  let wasWelcome = false;
  let stopExpecting = () => {};

  const reconnect = createReconnect({
    clock,
    random: options.random,
    connect: options.openLink,
    onLink,
    onWaiting,
  });

  function onLink(link: Link): LinkEvents {
    const made: Attempt = { link, isWelcome: false, heartbeat: limits.heartbeatTime };
    attempt = made;
    expect(WELCOME_TIME, () =>
      drop(new PagewireError("hub-unreachable", `Something answers at ${url}, but not as a hub.`), "hello-expected"),
    );
    link.send(encodeFrame({ type: "hello", versions: wireVersions, ...options.hello() }));
    return {
      message(message) {
        const frames = typeof message === "string" ? splitBatch(message) : [message];
        for (const frame of frames) if (link.open) receive(made, frame);
      },
      closed() {
        stopExpecting();
        if (made.isWelcome) options.onLost();
      },
    };
  }

  function expect(milliseconds: number, giveUp: () => void): void {
    stopExpecting();
    stopExpecting = clock.after(milliseconds, giveUp);
  }

  function expectHeartbeat({ heartbeat }: Attempt): void {
    expect(heartbeat * missedHeartbeats, () =>
      drop(new PagewireError("heartbeat-missed", errorCodes["heartbeat-missed"]), "heartbeat-missed"),
    );
  }

  function receive(made: Attempt, message: Message): void {
    if (made.isWelcome) expectHeartbeat(made);
    const parsed = parseFrame(toAgent, message, limits);
    if (parsed.kind === "refused") {
      return drop(
        new PagewireError("frame-malformed", `The hub sent what is no frame: ${parsed.message}`),
        parsed.close,
      );
    }
    if (parsed.kind === "unknown") return;
    const { frame, payload } = parsed;
    if (frame.type === "welcome") welcome(made, frame);
    else if (frame.type === "refused") made.error = whyRefused(frame);
    else if (frame.type === "heartbeat") made.link.send(encodeFrame(frame));
    else if (frame.type === "goaway") reconnect.retryWithin(frame.within);
    else if (made.isWelcome) options.onFrame(frame, payload);
    else drop(new PagewireError("frame-malformed", `The hub sent a ${frame.type} frame before its welcome.`));
  }

  function welcome(made: Attempt, { version, heartbeat }: Extract<FrameToAgent, { type: "welcome" }>): void {
    if (made.isWelcome) return;
    if (!wireVersions.includes(version)) {
      const message = `The hub at ${url} speaks wire version ${version}, which this program does not. Update it.`;
      return drop(new PagewireError("version-unsupported", message), "version-unsupported");
    }
    made.heartbeat = heartbeat;
    made.isWelcome = wasWelcome = true;
    expectHeartbeat(made);
    onState({ status: "connected", message: `Connected to the hub at ${url}.` });
    options.onWelcome();
  }

  function drop(error: PagewireError, name: CloseName = "frame-malformed"): void {
    if (attempt === undefined) return;
    attempt.error ??= error;
    attempt.link.close(closeReason(name, error.message));
  }

  function onWaiting({ milliseconds, reason }: Waiting): void {
    const error = errorFor(reason);
    const isNew = reason instanceof PagewireError || attempt?.isWelcome === false;
    const isRefused = isNew && isLasting(error);
    if (!wasWelcome || isRefused) {
      reconnect.close();
      onState({ status: "refused", code: error.code, message: error.message });
      return options.onEnd(error);
    }
    const message = `Trying again in ${Math.ceil(milliseconds / 1000)} s: ${error.message}`;
    onState({ status: "reconnecting", code: error.code, message, retryIn: milliseconds });
  }

  function errorFor(reason: Waiting["reason"]): PagewireError {
    if (reason instanceof PagewireError) return whyNoLink(url, reason);
    if (attempt?.error !== undefined) return attempt.error;
    return attempt?.isWelcome === true ? whyLost(reason) : whyNotWelcome(url, reason);
  }

  return {
    send(frame, payload) {
      if (attempt === undefined || !attempt.isWelcome || !attempt.link.open) return false;
      attempt.link.send(encodeFrame(frame, payload));
      return true;
    },
    drop,
    close() {
      stopExpecting();
      reconnect.close(closeReason("normal"));
    },
  };
}
