// Reconnects an engine: opens a new socket when one is lost, with exponential backoff.
import { systemClock } from "../../link/index.ts";
import type { Clock, SocketLike } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { RemoteCoreProxyOptions } from "./client-calls.ts";
import type { ClientEngine, EngineOwner } from "./client-engine.ts";
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
  /** The session to resume, from an earlier `onSession`. */
  readonly session?: string;
  /** Receives the session name for resuming, whenever it changes. */
  readonly onSession?: (session: string) => void;
  /** Milliseconds until an attempt without an answer fails. 10 000 when left out. */
  readonly connectTimeout?: number;
  /** A number from zero up to one, such as `Math.random`. */
  readonly random?: () => number;
}

type StateListener = (state: RemoteState, reason: Error | undefined) => void;

/** Max delay before the first retry, doubled for each one that follows. */
const INITIAL_BACKOFF = 500;
const MAX_BACKOFF = 30_000;
/** A connection that was open this long resets the backoff. */
const STABLE_TIME = 10_000;

/** `Made` is an engine and what its maker keeps beside it. */
export class EngineConnection<Made extends { readonly engine: ClientEngine }> {
  readonly made: Made;
  readonly #options: ConnectRemoteCoreOptions;
  readonly #clock: Clock;
  readonly #owner: EngineOwner;
  readonly #listeners = new Set<StateListener>();
  #state: RemoteState = "waiting";
  #reason: Error | undefined;
  #session: string | undefined;
  #failures = 0;
  #openSince = Infinity;
  /** Ends the wait, or the time that an attempt is given. */
  #stopTimer = () => {};

  constructor(options: ConnectRemoteCoreOptions, make: (owner: EngineOwner) => Made) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#session = options.session;
    this.#owner = {
      resumes: true,
      session: options.session,
      synced: () => this.#synced(),
      lost: (error, isFinal) => (isFinal ? this.#end(error) : this.#wait(error)),
    };
    this.made = make(this.#owner);
    this.#attempt();
  }

  get state(): RemoteState {
    return this.#state;
  }

  get reason(): Error | undefined {
    return this.#reason;
  }

  onStateChange(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  retryNow(): void {
    if (this.#state !== "waiting") return;
    this.#stopTimer();
    this.#attempt();
  }

  close(): void {
    this.#end(undefined);
  }

  #synced(): void {
    this.#stopTimer();
    this.#openSince = this.#clock.now();
    const { session } = this.#owner;
    if (session !== undefined && session !== this.#session) {
      this.#session = session;
      this.#notify(() => this.#options.onSession?.(session));
    }
    this.#become("open");
  }

  #become(next: RemoteState, reason?: Error): void {
    if (this.#state === "closed") return;
    this.#state = next;
    this.#reason = reason;
    for (const listener of [...this.#listeners]) this.#notify(() => listener(next, reason));
  }

  /** A listener that throws does not harm the connection. */
  #notify(listener: () => void): void {
    const { logger = console } = this.#options;
    try {
      listener();
    } catch (error) {
      logger.error(`A listener of a remote core failed: ${messageOf(error)}`);
    }
  }

  #wait(error: Error): void {
    const { random = Math.random } = this.#options;
    this.#stopTimer();
    if (this.#clock.now() - this.#openSince >= STABLE_TIME) this.#failures = 0;
    this.#openSince = Infinity;
    // A random part of the time, so that clients that lost the same server do not all come back at once.
    const delay = random() * Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** this.#failures++);
    this.#stopTimer = this.#clock.after(delay, () => this.#attempt());
    this.#become("waiting", error);
  }

  #end(error: Error | undefined): void {
    if (this.#state === "closed") return;
    this.#stopTimer();
    this.#become("closed", error);
    this.made.engine.dispose(error);
  }

  #attempt(): void {
    const { connectTimeout = 10_000 } = this.#options;
    let isOver = false;
    const fail = (error: Error) => {
      isOver = true;
      if (!this.made.engine.drop(error)) this.#wait(error);
    };
    this.#become("connecting");
    this.#stopTimer = this.#clock.after(connectTimeout, () =>
      fail(lostError(`The remote core cannot be reached: there was no answer within ${connectTimeout} ms.`)),
    );
    void this.#open(() => isOver || this.#state !== "connecting").catch((error: unknown) => {
      if (!isOver)
        fail(error instanceof Error ? error : lostError(`The remote core cannot be reached: ${String(error)}.`));
    });
  }

  async #open(isTooLate: () => boolean): Promise<void> {
    const socket = await this.#options.connect();
    const transport = new WebSocketClientTransport(socket, this.#options);
    if (isTooLate()) transport.dispose();
    else this.made.engine.attach(transport);
  }
}

/** A core elsewhere, and a connection to it that reconnects by itself. */
export interface RemoteCore<Values extends object = Record<string, unknown>> {
  /** One proxy for all sockets: bindings and calls continue after each reconnect. */
  readonly proxy: RemoteCoreProxy & Readonly<Partial<Values>>;
  readonly state: RemoteState;
  /** Why it waits or is closed. */
  readonly reason: Error | undefined;
  onStateChange(listener: StateListener): () => void;
  retryNow(): void;
  close(): void;
}

/** Keeps a connection to a core up. With a server of Pagewire calls survive a cut: each has one outcome. */
export function connectRemoteCore<Values extends object = Record<string, unknown>>(
  declaration: WcBindableDeclaration,
  options: ConnectRemoteCoreOptions,
): RemoteCore<Values> {
  const connection = new EngineConnection(options, (owner) => createProxy<Values>(declaration, options, owner));
  return {
    proxy: connection.made.proxy,
    get state() {
      return connection.state;
    },
    get reason() {
      return connection.reason;
    },
    onStateChange: (listener) => connection.onStateChange(listener),
    retryNow: () => connection.retryNow(),
    close: () => connection.close(),
  };
}
