// The transport from the agent's window to its parent page: which window that is, whether its origin is allowed, and whether
// messages go over a port or the window. It does not know tools or calls.
import type { Clock } from "../link/index.ts";
import type { Envelope, FromAgent, FromParent } from "./messages.ts";
import { newToken } from "./new-token.ts";
import type { OwnWindow, ParentLinkState, ParentWindow } from "./parent-link-options.ts";
import { createParentPorts } from "./parent-ports.ts";
import type { ParentPorts } from "./parent-ports.ts";
import { readFromParent } from "./read-message.ts";
import type { Reading } from "./read-message.ts";

/** A message of the parent, valid or not. */
export type ParentReading = Exclude<Reading<FromParent>, { kind: "foreign" }>;

export interface ParentChannelOptions {
  readonly self: OwnWindow;
  /** The current parent window: another page can take this window over. */
  parent(): ParentWindow | null;
  isAllowed(origin: string): boolean;
  readonly clock: Clock;
  /** The parent's origin before this window was reloaded. */
  readonly remembered: string | undefined;
  /** The connection to the parent changed. Called again for each new port. */
  changed(state: ParentLinkState): void;
  received(reading: ParentReading): void;
}

/** The interval of checks of the parent's window. */
const checkInterval = 1000;
/** Timers of a background page may run once a minute, and its heartbeats with them. */
const silenceTimeout = 75_000;
/** The timeout for an unloading parent to be back. */
const reloadTimeout = 3000;

export class ParentChannel {
  readonly #options: ParentChannelOptions;
  readonly #ports: ParentPorts;
  #parent: ParentWindow | null;
  #origin: string | undefined;
  #title: string | undefined;
  #state: ParentLinkState;
  #receivedAt: number;
  /** It unloads, and may be back. */
  #isAway = false;
  #stopWaiting = () => {};
  #stopWatching = () => {};

  constructor(options: ParentChannelOptions) {
    this.#options = options;
    this.#parent = options.parent();
    const origin = (this.#origin = this.#parent ? options.remembered : undefined);
    this.#state = this.#parent ? { kind: "waiting", ...(origin !== undefined && { origin }) } : { kind: "none" };
    this.#receivedAt = options.clock.now();
    this.#watch();
    /** Another one after a reload. */
    const page = newToken();
    this.#ports = createParentPorts({
      clock: options.clock,
      offer: (nonce) => this.#post({ type: "agent_ready", payload: { nonce, pagewire: 1, page, batches: true } }),
      received: (data, isCurrent) => this.#receiveFromPort(data, isCurrent),
      dropped: () => this.#origin !== undefined && this.#connect(this.#origin),
    });
    options.self.addEventListener("message", this.#receiveFromWindow);
  }

  get state(): ParentLinkState {
    return this.#state;
  }

  /** The transport to the parent; undefined if there is none. A silent parent may only be slow. */
  get via(): "port" | "window" | undefined {
    const state = this.#state;
    if (!this.#isConnected() && !(state.kind === "lost" && state.reason === "silent")) return undefined;
    return this.#ports.current ? "port" : "window";
  }

  /** Whether the parent accepts several messages in one, and the arguments of a call as text. */
  get batches(): boolean {
    return this.#ports.current?.batches === true;
  }

  /** Sends to the parent; false if it cannot be reached now. */
  send(message: Envelope<FromAgent>): boolean {
    const { via } = this;
    if (via === "port") this.#ports.current?.post(message);
    if (via === "window") this.#post(message);
    return via !== undefined;
  }

  /** Checks now whether the parent's window was replaced or closed; also runs every second. */
  checkWindow(): void {
    const now = this.#options.parent();
    if (now !== this.#parent) return this.#replace(now);
    const state = this.#state;
    if (this.#origin === undefined || (state.kind === "lost" && state.reason === "closed")) return;
    if (this.#parent?.closed) this.#drop({ kind: "lost", origin: this.#origin, reason: "closed" });
  }

  /** Refuses the parent if its origin is no longer allowed. */
  checkOrigin(): void {
    const { isAllowed } = this.#options;
    if (this.#origin !== undefined && !isAllowed(this.#origin)) return this.#refuse(this.#origin);
    if (this.#state.kind !== "refused" || !isAllowed(this.#state.origin)) return;
    // It would send nothing by itself until its next heartbeat.
    this.#origin = this.#state.origin;
    this.#ports.offer();
  }

  /** Offers a port to the earlier parent: this window was reloaded, or is back from the back/forward cache. */
  greet(): void {
    if (this.#origin !== undefined && this.#options.isAllowed(this.#origin)) this.#ports.offer();
  }

  close(): void {
    this.#options.self.removeEventListener("message", this.#receiveFromWindow);
    this.#stopWatching();
    this.#stopWaiting();
    this.#ports.close();
  }

  #become(next: ParentLinkState): void {
    this.#state = next;
    this.#options.changed(next);
  }

  #connect(origin: string): void {
    this.#stopWaiting();
    this.#isAway = false;
    this.#origin = origin;
    this.#receivedAt = this.#options.clock.now();
    const title = this.#ports.current ? this.#title : undefined;
    const via = this.#ports.current ? "port" : "window";
    this.#become({ kind: "connected", origin, via, ...(title && { title }) });
  }

  #drop(next: ParentLinkState): void {
    this.#stopWaiting();
    this.#ports.close();
    if (next.kind !== "lost") this.#origin = undefined;
    this.#become(next);
  }

  #refuse(origin: string): void {
    if (this.#state.kind !== "refused" || this.#state.origin !== origin) this.#drop({ kind: "refused", origin });
  }

  #replace(now: ParentWindow | null): void {
    const before = this.#state;
    if (this.#parent?.closed === false) this.send({ type: "parent_replaced", payload: {} });
    this.#parent = now;
    if (now) this.#drop({ kind: "waiting" });
    else if (before.kind !== "connected" && before.kind !== "lost") this.#drop({ kind: "none" });
    else this.#drop({ kind: "lost", origin: before.origin, reason: "closed" });
  }

  readonly #post = (message: Envelope<FromAgent>): void => {
    if (this.#origin !== undefined) this.#parent?.postMessage(message, this.#origin);
  };

  #watch(): void {
    const { clock } = this.#options;
    const due = clock.now() + checkInterval;
    this.#stopWatching = clock.after(checkInterval, () => {
      // While this window was frozen or throttled, the parent's messages were queued.
      this.#receivedAt += clock.now() - due;
      this.#watch();
      this.checkWindow();
      const origin = this.#origin;
      const isSilent = this.#state.kind !== "lost" && !this.#isAway && clock.now() - this.#receivedAt >= silenceTimeout;
      if (origin !== undefined && isSilent) this.#become({ kind: "lost", origin, reason: "silent" });
    });
  }

  readonly #receiveFromWindow = (event: Event): void => {
    this.checkWindow();
    const { source, origin, data, ports: given } = event as MessageEvent;
    const ports = this.#ports;
    const reading = readFromParent(data);
    if (reading.kind === "foreign") return;
    if (this.#parent === null || source !== this.#parent)
      return this.#sendReplaced(reading, source as ParentWindow | null, origin);
    if (!this.#options.isAllowed(origin)) return this.#refuse(origin);
    if (reading.kind === "message" && reading.message.type === "parent_port") {
      // A nonce of another page in the same window is not valid here.
      const { payload } = reading.message;
      if (origin !== this.#origin || !ports.take(payload, given[0])) return;
      this.#title = payload.title;
      this.#connect(origin);
      return;
    }
    if (origin !== this.#origin) ports.close();
    // A parent with a port is silent over the window, unless a new document does not have the port.
    if (ports.current && !isGreeting(reading)) return;
    if (ports.current) ports.doubt();
    else if (origin !== this.#origin || !this.#isConnected()) this.#connect(origin);
    ports.offer();
    this.#receive(reading, this.#post);
  };

  #receiveFromPort(data: unknown, isCurrent: boolean): void {
    if (this.#origin === undefined) return;
    if (!this.#options.isAllowed(this.#origin)) return this.#refuse(this.#origin);
    const reading = readFromParent(data);
    if (reading.kind === "foreign") return;
    if (isCurrent && !this.#isConnected()) this.#connect(this.#origin);
    // Messages from a replaced port are the previous document's.
    if (isCurrent || !isBye(reading)) this.#receive(reading, (message) => this.send(message));
  }

  #receive(reading: ParentReading, answer: (message: Envelope<FromAgent>) => void): void {
    this.#receivedAt = this.#options.clock.now();
    if (isBye(reading)) return this.#leave();
    if (reading.kind === "message" && reading.message.type === "ping") {
      return answer({ type: "pong", payload: reading.message.payload });
    }
    this.#options.received(reading);
  }

  /** The parent unloads; it may be back at once. */
  #leave(): void {
    this.#stopWaiting();
    this.#ports.close();
    this.#isAway = true;
    this.#stopWaiting = this.#options.clock.after(reloadTimeout, () => {
      if (this.#origin !== undefined) this.#drop({ kind: "lost", origin: this.#origin, reason: "left" });
    });
  }

  /** A page that lost this window to another still sends to it. */
  #sendReplaced(reading: ParentReading, source: ParentWindow | null, origin: string): void {
    if (!this.#parent || !source || !isGreeting(reading) || !this.#options.isAllowed(origin)) return;
    source.postMessage({ type: "parent_replaced", payload: {} }, origin);
  }

  #isConnected(): boolean {
    return this.#state.kind === "connected" && !this.#isAway;
  }
}

/** The first message of a parent that was just loaded or does not know ports. */
function isGreeting(reading: ParentReading): boolean {
  return reading.kind === "message" && (reading.message.type === "ping" || reading.message.type === "tools_list");
}

function isBye(reading: ParentReading): boolean {
  return reading.kind === "message" && reading.message.type === "parent_bye";
}
