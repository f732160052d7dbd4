// The transport from the agent's window to its parent page: which window that is, whether its origin is allowed, and whether
// messages go over a port or the window. It does not know tools or calls.
import type { Clock } from "../link/index.ts";
import type { Envelope, FromAgent, FromParent } from "./messages.ts";
import { newToken } from "./new-token.ts";
import type { OwnWindow, ParentLinkState, ParentWindow } from "./parent-link-state.ts";
import { createParentPorts } from "./parent-ports.ts";
import { readFromParent } from "./read-message.ts";
import type { Reading } from "./read-message.ts";

/** A message of the parent, valid or not. */
export type Said = Exclude<Reading<FromParent>, { kind: "foreign" }>;

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
  heard(said: Said): void;
}

export interface ParentChannel {
  readonly state: ParentLinkState;
  /** The transport to the parent; undefined if there is none. */
  readonly via: "port" | "window" | undefined;
  /** Whether the parent accepts several messages in one, and the arguments of a call as text. */
  readonly batches: boolean;
  /** Sends to the parent; false if it cannot be reached now. */
  send(message: Envelope<FromAgent>): boolean;
  /** Checks now whether the parent's window was replaced or closed; also runs every second. */
  look(): void;
  /** Refuses the parent if its origin is no longer allowed. */
  checkOrigin(): void;
  /** Offers a port to the earlier parent: this window was reloaded, or is back from the back/forward cache. */
  greet(): void;
  close(): void;
}

/** The interval of checks of the parent's window. */
const watchTime = 1000;
/** Timers of a background page may run once a minute, and its heartbeats with them. */
const silenceTime = 75_000;
/** The timeout for an unloading parent to be back. */
const reloadTime = 3000;

export function createParentChannel(options: ParentChannelOptions): ParentChannel {
  const { self, parent, isAllowed, clock } = options;
  let current = parent();
  let origin = current ? options.remembered : undefined;
  let state: ParentLinkState = current
    ? { kind: "waiting", ...(origin !== undefined && { origin }) }
    : { kind: "none" };
  let heardAt = clock.now();
  let isAway = false;
  let stopWaiting = () => {};
  let stopWatching = watch();

  /** Another one after a reload. */
  const page = newToken();
  const ports = createParentPorts({
    clock,
    offer: (nonce) => post({ type: "agent_ready", payload: { nonce, pagewire: 1, page, batches: true } }),
    heard: hearPort,
    dropped: () => origin !== undefined && connect(origin),
  });

  function become(next: ParentLinkState): void {
    state = next;
    options.changed(next);
  }

  function connect(from: string): void {
    stopWaiting();
    isAway = false;
    origin = from;
    heardAt = clock.now();
    become({ kind: "connected", origin, via: ports.current ? "port" : "window" });
  }

  function drop(next: ParentLinkState): void {
    stopWaiting();
    ports.close();
    if (next.kind !== "lost") origin = undefined;
    become(next);
  }

  function post(message: Envelope<FromAgent>): void {
    if (origin !== undefined) current?.postMessage(message, origin);
  }

  /** A silent parent may only be slow. */
  function via(): "port" | "window" | undefined {
    if (!isConnected() && !(state.kind === "lost" && state.reason === "silent")) return undefined;
    return ports.current ? "port" : "window";
  }

  function send(message: Envelope<FromAgent>): boolean {
    const way = via();
    if (way === "port") ports.current?.post(message);
    if (way === "window") post(message);
    return way !== undefined;
  }

  function watch(): () => void {
    const due = clock.now() + watchTime;
    return clock.after(watchTime, () => {
      // While this window was frozen or throttled, the parent's messages were queued.
      heardAt += clock.now() - due;
      stopWatching = watch();
      look();
      const isSilent = state.kind !== "lost" && !isAway && clock.now() - heardAt >= silenceTime;
      if (origin !== undefined && isSilent) become({ kind: "lost", origin, reason: "silent" });
    });
  }

  function look(): void {
    const now = parent();
    if (now !== current) return replace(now);
    if (origin === undefined || (state.kind === "lost" && state.reason === "closed")) return;
    if (current?.closed) drop({ kind: "lost", origin, reason: "closed" });
  }

  function replace(now: ParentWindow | null): void {
    const before = state;
    if (current?.closed === false) send({ type: "parent_replaced", payload: {} });
    current = now;
    if (now) drop({ kind: "waiting" });
    else if (before.kind !== "connected" && before.kind !== "lost") drop({ kind: "none" });
    else drop({ kind: "lost", origin: before.origin, reason: "closed" });
  }

  function hearWindow(event: Event): void {
    look();
    const { source, origin: from, data, ports: brought } = event as MessageEvent;
    const said = readFromParent(data);
    if (said.kind === "foreign") return;
    if (current === null || source !== current) return tellReplaced(said, source as ParentWindow | null, from);
    if (!isAllowed(from)) return refuse(from);
    if (said.kind === "message" && said.message.type === "parent_port") {
      // A nonce of another page in the same window is not valid here.
      if (from === origin && ports.take(said.message.payload, brought[0])) connect(from);
      return;
    }
    if (from !== origin) ports.close();
    // A parent with a port is silent over the window, unless a new document does not have the port.
    if (ports.current && !isGreeting(said)) return;
    if (ports.current) ports.doubt();
    else if (from !== origin || !isConnected()) connect(from);
    ports.offer();
    hear(said, post);
  }

  function hearPort(data: unknown, isCurrent: boolean): void {
    if (origin === undefined) return;
    if (!isAllowed(origin)) return refuse(origin);
    const said = readFromParent(data);
    if (said.kind === "foreign") return;
    if (isCurrent && !isConnected()) connect(origin);
    // Messages from a replaced port are the previous document's.
    if (isCurrent || !isBye(said)) hear(said, send);
  }

  function hear(said: Said, answer: (message: Envelope<FromAgent>) => void): void {
    heardAt = clock.now();
    if (isBye(said)) return leave();
    if (said.kind === "message" && said.message.type === "ping") {
      return answer({ type: "pong", payload: said.message.payload });
    }
    options.heard(said);
  }

  /** The parent unloads; it may be back at once. */
  function leave(): void {
    stopWaiting();
    ports.close();
    isAway = true;
    stopWaiting = clock.after(reloadTime, () => {
      if (origin !== undefined) drop({ kind: "lost", origin, reason: "left" });
    });
  }

  function refuse(from: string): void {
    if (state.kind !== "refused" || state.origin !== from) drop({ kind: "refused", origin: from });
  }

  /** A page that lost this window to another still sends to it. */
  function tellReplaced(said: Said, source: ParentWindow | null, from: string): void {
    if (!current || !source || !isGreeting(said) || !isAllowed(from)) return;
    source.postMessage({ type: "parent_replaced", payload: {} }, from);
  }

  function isConnected(): boolean {
    return state.kind === "connected" && !isAway;
  }

  self.addEventListener("message", hearWindow);

  return {
    get state() {
      return state;
    },
    get via() {
      return via();
    },
    get batches() {
      return ports.current?.batches === true;
    },
    send,
    look,
    checkOrigin() {
      if (origin !== undefined && !isAllowed(origin)) return refuse(origin);
      if (state.kind !== "refused" || !isAllowed(state.origin)) return;
      // It would send nothing by itself until its next heartbeat.
      origin = state.origin;
      ports.offer();
    },
    greet() {
      if (origin !== undefined && isAllowed(origin)) ports.offer();
    },
    close() {
      self.removeEventListener("message", hearWindow);
      stopWatching();
      stopWaiting();
      ports.close();
    },
  };
}

/** The first message of a parent that was just loaded or does not know ports. */
function isGreeting(said: Said): boolean {
  return said.kind === "message" && (said.message.type === "ping" || said.message.type === "tools_list");
}

function isBye(said: Said): boolean {
  return said.kind === "message" && said.message.type === "parent_bye";
}
