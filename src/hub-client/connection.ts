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
  closeNameOf,
  isErrorCode,
  messageOf,
} from "../wire/index.ts";
import type {
  CloseName,
  FrameFromAgent,
  FrameToAgent,
  Limits,
  Message,
  Payload,
  CloseReason,
  ErrorCode,
} from "../wire/index.ts";
import type { HubClientState } from "./hub-client.ts";

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
  /** The hub stops, and another takes new connections; clients are to be there within this time, not all at once. */
  onElsewhere(within: number): void;
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

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #reconnect: ReturnType<typeof createReconnect>;
  #attempt: Attempt | undefined;
  #wasWelcome = false;
  #stopExpecting = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#reconnect = createReconnect({
      clock: options.clock,
      random: options.random,
      connect: options.openLink,
      onLink: (link) => this.#greet(link),
      onWaiting: (waiting) => this.#wait(waiting),
    });
  }

  /** Sends a frame if a hub has welcomed this client; returns whether it did. */
  send(frame: FrameFromAgent, payload?: string): boolean {
    const { link, isWelcome } = this.#attempt ?? {};
    if (!link?.open || !isWelcome) return false;
    link.send(encodeFrame(frame, payload));
    return true;
  }

  /** Closes the current link because of an invalid frame; another one is made. */
  drop(error: PagewireError, name: CloseName = "frame-malformed"): void {
    if (this.#attempt === undefined) return;
    this.#attempt.error ??= error;
    this.#attempt.link.close(closeReason(name, error.message));
  }

  close(): void {
    this.#stopExpecting();
    this.#reconnect.close(closeReason("normal"));
  }

  #greet(link: Link): LinkEvents {
    const { url, limits, hello, onLost } = this.#options;
    const made: Attempt = { link, isWelcome: false, heartbeat: limits.heartbeatTime };
    this.#attempt = made;
    const silent = new PagewireError("hub-unreachable", `Something answers at ${url}, but not as a hub.`);
    this.#expect(WELCOME_TIME, () => this.drop(silent, "hello-expected"));
    link.send(encodeFrame({ type: "hello", versions: wireVersions, ...hello() }));
    return {
      message: (message) => {
        const frames = typeof message === "string" ? splitBatch(message) : [message];
        for (const frame of frames) if (link.open) this.#receive(made, frame);
      },
      closed: () => {
        this.#stopExpecting();
        if (made.isWelcome) onLost();
      },
    };
  }

  #expect(milliseconds: number, giveUp: () => void): void {
    this.#stopExpecting();
    this.#stopExpecting = this.#options.clock.after(milliseconds, giveUp);
  }

  #expectHeartbeat({ heartbeat }: Attempt): void {
    this.#expect(heartbeat * missedHeartbeats, () =>
      this.drop(new PagewireError("heartbeat-missed", errorCodes["heartbeat-missed"]), "heartbeat-missed"),
    );
  }

  #receive(made: Attempt, message: Message): void {
    if (made.isWelcome) this.#expectHeartbeat(made);
    const parsed = parseFrame(toAgent, message, this.#options.limits);
    if (parsed.kind === "refused") {
      const error = new PagewireError("frame-malformed", `The hub sent an invalid frame: ${parsed.message}`);
      return this.drop(error, parsed.close);
    }
    if (parsed.kind === "unknown") return;
    const { frame, payload } = parsed;
    if (frame.type === "welcome") this.#welcome(made, frame);
    else if (frame.type === "refused") made.error = whyRefused(frame);
    else if (frame.type === "heartbeat") made.link.send(encodeFrame(frame));
    else if (frame.type === "goaway") this.#goAway(frame);
    else if (made.isWelcome) this.#options.onFrame(frame, payload);
    else this.drop(new PagewireError("frame-malformed", `The hub sent a ${frame.type} frame before its welcome.`));
  }

  #goAway({ within, elsewhere }: Extract<FrameToAgent, { type: "goaway" }>): void {
    this.#reconnect.retryWithin(within);
    if (elsewhere) this.#options.onElsewhere(within);
  }

  #welcome(made: Attempt, { version, heartbeat }: Extract<FrameToAgent, { type: "welcome" }>): void {
    const { url, onState, onWelcome } = this.#options;
    if (made.isWelcome) return;
    if (!wireVersions.includes(version)) {
      const message = `The hub at ${url} speaks wire version ${version}, which this program does not. Update it.`;
      return this.drop(new PagewireError("version-unsupported", message), "version-unsupported");
    }
    made.heartbeat = heartbeat;
    made.isWelcome = this.#wasWelcome = true;
    this.#expectHeartbeat(made);
    onState({ status: "connected", message: `Connected to the hub at ${url}.` });
    onWelcome();
  }

  #wait({ milliseconds, reason }: Waiting): void {
    const { onState, onEnd } = this.#options;
    const error = this.#errorFor(reason);
    const isNew = reason instanceof PagewireError || this.#attempt?.isWelcome === false;
    const isRefused = isNew && isLasting(error);
    if (!this.#wasWelcome || isRefused) {
      this.#reconnect.close();
      onState({ status: "refused", code: error.code, message: error.message });
      return onEnd(error);
    }
    const message = `Trying again in ${Math.ceil(milliseconds / 1000)} s: ${error.message}`;
    onState({ status: "reconnecting", code: error.code, message, retryIn: milliseconds });
  }

  #errorFor(reason: Waiting["reason"]): PagewireError {
    const { url } = this.#options;
    if (reason instanceof PagewireError) return whyNoLink(url, reason);
    if (this.#attempt?.error !== undefined) return this.#attempt.error;
    return this.#attempt?.isWelcome === true ? whyLost(reason) : whyNotWelcome(url, reason);
  }
}

/** Refusals that the same client would get again. */
const lasting: readonly ErrorCode[] = [
  "hub-not-proven",
  "token-required",
  "token-invalid",
  "token-expired",
  "version-unsupported",
  "origin-not-allowed",
  "host-refused",
  "option-refused",
];

/** Whether the same hello would be refused again. */
function isLasting({ code }: PagewireError): boolean {
  return lasting.includes(code);
}

/** Why there is no link, as a message for people. */
function whyNoLink(url: string, error: PagewireError): PagewireError {
  if (error.code !== "hub-unreachable") return error;
  const why = error.cause === undefined ? "" : ` (${messageOf(error.cause)})`;
  const message = `No hub answers at ${url}${why}. Start it with: npx pagewire`;
  return new PagewireError("hub-unreachable", message, { cause: error });
}

/** Why a link ended before a hub welcomed it. */
function whyNotWelcome(url: string, reason: CloseReason): PagewireError {
  return named(reason) ?? new PagewireError("hub-unreachable", `Something answers at ${url}, but not as a hub.`);
}

/** Why a working link ended. */
function whyLost(reason: CloseReason): PagewireError {
  return named(reason) ?? new PagewireError("hub-unreachable", "The connection to the hub was lost.");
}

function named({ code }: CloseReason): PagewireError | undefined {
  const name = closeNameOf(code);
  return name === undefined || name === "normal" ? undefined : new PagewireError(name, errorCodes[name]);
}

/** The error in a hub's refusal. */
function whyRefused({ code, message, command }: Extract<FrameToAgent, { type: "refused" }>): PagewireError {
  const next = command === undefined ? "" : ` Put it right with: ${command}`;
  return new PagewireError(isErrorCode(code) ? code : "internal-error", message + next);
}
