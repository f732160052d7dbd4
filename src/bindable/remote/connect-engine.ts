// Keeps an engine on a connection: one socket after another, with waits between them that grow.
import { systemClock } from "../../link/index.ts";
import type { SocketLike } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { ClientEngine, EngineOwner } from "./client-engine.ts";
import type { RemoteCoreProxyOptions } from "./remote-core-proxy-options.ts";
import { lostError } from "./remote-error.ts";
import { WebSocketClientTransport } from "./web-socket-client-transport.ts";
import type { WcBindableDeclaration } from "../declaration.ts";
import { createProxy } from "./remote-core-proxy.ts";
import type { RemoteCoreProxy } from "./remote-core-proxy.ts";

/** `waiting` has lost the connection and tries again by itself; `closed` does not. */
export type RemoteState = "connecting" | "open" | "waiting" | "closed";

export interface ConnectRemoteCoreOptions extends Omit<RemoteCoreProxyOptions, "preSyncBehavior"> {
  /** Makes a WebSocket. Called for each attempt, so that each may bring a token of its own. */
  connect(): SocketLike | Promise<SocketLike>;
  /** The session to go on with, from an earlier `onSession`. */
  readonly session?: string;
  /** Receives the session name for resuming, whenever it changes. */
  readonly onSession?: (session: string) => void;
  /** Milliseconds until an attempt without an answer is given up. 10 000 when left out. */
  readonly connectTimeout?: number;
  /** A number from zero up to one, such as `Math.random`. */
  readonly random?: () => number;
}

/** A connection that comes back by itself. */
export interface KeptConnection {
  readonly state: RemoteState;
  /** Why it waits or is closed. */
  readonly reason: Error | undefined;
  /** Returns what ends it. */
  onStateChange(listener: (state: RemoteState, reason: Error | undefined) => void): () => void;
  /** Ends a wait now. */
  retryNow(): void;
  close(): void;
}

/** The longest first wait; each one that follows may be twice as long. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/** A connection that was up this long ends the row of attempts. */
const STABLE_TIME = 10_000;

/** `make` gives the engine, and what stands beside the connection for those who use it. */
export function connectEngine<Face extends object>(
  options: ConnectRemoteCoreOptions,
  make: (owner: EngineOwner) => { readonly engine: ClientEngine; readonly face: Face },
): KeptConnection & Face {
  const { clock = systemClock, random = Math.random, connectTimeout = 10_000, onSession, logger = console } = options;
  const listeners = new Set<(state: RemoteState, reason: Error | undefined) => void>();
  let state: RemoteState = "waiting";
  let reason: Error | undefined;
  let known = options.session;
  let failures = 0;
  let openSince = Infinity;
  /** Ends the wait, or the time that an attempt is given. */
  let stopTimer = () => {};

  const owner: EngineOwner = {
    resumes: true,
    session: known,
    synced() {
      stopTimer();
      openSince = clock.now();
      const { session } = owner;
      if (session !== undefined && session !== known) {
        known = session;
        tell(() => onSession?.(session));
      }
      become("open");
    },
    lost(error, isFinal) {
      if (isFinal) end(error);
      else wait(error);
    },
  };
  const { engine, face } = make(owner);

  function become(next: RemoteState, why?: Error): void {
    if (state === "closed") return;
    state = next;
    reason = why;
    for (const listener of [...listeners]) tell(() => listener(next, why));
  }

  /** A listener that throws does not harm the connection. */
  function tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      logger.error(`A listener of a remote core failed: ${messageOf(error)}`);
    }
  }

  function wait(error: Error): void {
    stopTimer();
    if (clock.now() - openSince >= STABLE_TIME) failures = 0;
    openSince = Infinity;
    // Each waits a random part of the time: many that lost the same server do not come back as one.
    stopTimer = clock.after(random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures++), attempt);
    become("waiting", error);
  }

  function end(error: Error | undefined): void {
    if (state === "closed") return;
    stopTimer();
    become("closed", error);
    engine.dispose(error);
  }

  function attempt(): void {
    let isOver = false;
    const fail = (error: Error) => {
      isOver = true;
      if (!engine.drop(error)) wait(error);
    };
    become("connecting");
    stopTimer = clock.after(connectTimeout, () =>
      fail(lostError(`The remote core cannot be reached: there was no answer within ${connectTimeout} ms.`)),
    );
    void open(() => isOver || state !== "connecting").catch((error: unknown) => {
      if (!isOver)
        fail(error instanceof Error ? error : lostError(`The remote core cannot be reached: ${String(error)}.`));
    });
  }

  async function open(isTooLate: () => boolean): Promise<void> {
    const socket = await options.connect();
    const transport = new WebSocketClientTransport(socket, options);
    if (isTooLate()) transport.dispose();
    else engine.attach(transport);
  }

  attempt();

  return {
    ...face,
    get state() {
      return state;
    },
    get reason() {
      return reason;
    },
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryNow() {
      if (state !== "waiting") return;
      stopTimer();
      attempt();
    },
    close: () => end(undefined),
  };
}

/** A core elsewhere, and the connection to it. */
export interface RemoteCore<Values extends object = Record<string, unknown>> extends KeptConnection {
  /** One for all sockets: bound once, it goes on after each cut, and so do its calls. */
  readonly proxy: RemoteCoreProxy & Readonly<Partial<Values>>;
}

/** Keeps a connection to a core up. With a server of Pagewire calls survive a cut: each has one outcome. */
export function connectRemoteCore<Values extends object = Record<string, unknown>>(
  declaration: WcBindableDeclaration,
  options: ConnectRemoteCoreOptions,
): RemoteCore<Values> {
  return connectEngine(options, (owner) => {
    const { proxy, engine } = createProxy<Values>(declaration, options, owner);
    return { engine, face: { proxy } };
  });
}
