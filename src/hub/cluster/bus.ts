// Messages among the hubs of a cluster. A bus delivers each message at most once, to all who listen at that moment; the
// messages of one hub to one subject arrive in order.

export interface Bus {
  /** The longest message, in bytes. */
  readonly maxBytes: number;
  readonly isUp: boolean;
  /** Sends a message, or drops it while the bus is down; returns whether it was sent. */
  publish(subject: string, message: Uint8Array): boolean;
  /** Runs a function once all that came in this turn of the event loop was handled. */
  afterTurn(run: () => void): void;
  /** Returns a function that stops listening. Subscriptions outlive a reconnect. */
  subscribe(subject: string, listener: (message: Uint8Array) => void): () => void;
  /** Called after each change of `isUp`. */
  onState(listener: () => void): () => void;
  /** Sends what is queued and leaves. Can be called twice. */
  close(): Promise<void>;
}

export interface BusOptions {
  /** Addresses of NATS servers, separated by commas: nats:// or tls://, with a user and password or a token if they need them. */
  readonly servers: string;
  /** The contents of a credentials file. */
  readonly credentials?: Uint8Array | undefined;
}
