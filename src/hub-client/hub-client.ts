import type { Clock, SocketClass } from "../link/index.ts";
import type { DelegateFetch } from "./delegate/delegate-fetch.ts";
import type {
  AskMethod,
  CallEvent,
  CallMethod,
  ErrorCode,
  Json,
  JsonObject,
  Limits,
  LogLevel,
  OnError,
  Offer,
  Outcome,
  TabInfo,
  TraceContext,
} from "../wire/index.ts";

/** Answers a question that a page asks through its caller; a rejection tells the page that there is no answer. */
export type AskHandler = (
  parameters: JsonObject,
  context: { readonly name: string; readonly signal: AbortSignal },
) => Promise<JsonObject>;

/** What a client says of itself, and what it can do. */
export interface HubClientOptions {
  /** The agents' token of the hub; a function is asked again for each connection. */
  readonly token?: string | (() => Promise<string>);
  readonly agent: { readonly name: string; readonly version?: string };
  /** Tells this client from others with the same token and name; a random one by default. */
  readonly session?: string;
  /** The questions that this client can answer. Pages ask their own user where it cannot. */
  readonly onAsk?: { readonly [Method in AskMethod]?: AskHandler };
  /** Hears of what went wrong where nobody waits; by default it is written to the console. */
  readonly onError?: OnError;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface ConnectHubOptions extends HubClientOptions {
  /** The hub's address, such as http://127.0.0.1:7337. */
  readonly url: string;
  /** The class of the browser, or that of the package `ws`. */
  readonly WebSocket: SocketClass;
  /** How a hub is asked to prove who it is, before the token is used; the runtime's own by default. */
  readonly fetch?: DelegateFetch | undefined;
  /** Where the hub itself listens, if a relay of yours, such as a tunnel or a container's port, leads there. */
  readonly relayTo?: string | undefined;
}

/** How a client stands with its hub. `message` is a sentence that can be shown as it is. */
export type HubClientState =
  | { readonly status: "connecting"; readonly message: string }
  | { readonly status: "connected"; readonly message: string }
  | {
      readonly status: "reconnecting";
      readonly message: string;
      readonly code: ErrorCode;
      /** Milliseconds until the next attempt, counted from when this state began. */
      readonly retryIn: number;
    }
  /** The hub does not want this client, and trying again will not help. */
  | { readonly status: "refused"; readonly message: string; readonly code: ErrorCode }
  | { readonly status: "closed"; readonly message: string };

export interface HubCall {
  /** A tool's call by default. */
  readonly method?: CallMethod;
  /** The name, or the URI, as this client was shown it. */
  readonly name: string;
  readonly arguments?: JsonObject;
  readonly tab?: string | undefined;
  /** The same key again is given the same outcome, never a second run; a call with a key survives lost connections. */
  readonly key?: string | undefined;
  /** Milliseconds that the call may take: a minute by default, fifteen at most (limits `callTime`, `callTimeMost`). */
  readonly timeout?: number | undefined;
  /**
   * Where the call is in a trace, for the page. By default where OpenTelemetry says that the code is which makes it, if the
   * program has loaded its API.
   */
  readonly trace?: TraceContext | undefined;
  /** Cancels the call in the page. */
  readonly signal?: AbortSignal;
  readonly onAck?: (tabId: string) => void;
  readonly onProgress?: (progress: CallProgress) => void;
  readonly onLog?: (log: CallLog) => void;
}

export interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface CallLog {
  readonly level: LogLevel;
  readonly data: Json;
  readonly logger?: string | undefined;
}

/** The one end of a call. */
export interface HubOutcome extends Omit<Outcome, "payload"> {
  /** The page's own answer, with "ok" and "tool-error". */
  readonly result?: JsonObject;
  /** The tab that took the call. */
  readonly tabId?: string;
}

/** A connection to a hub that is made again whenever it ends. */
export interface HubClient {
  readonly state: HubClientState;
  /** Hears of every change of state; returns a function that stops it. */
  onState(listener: (state: HubClientState) => void): () => void;
  /** The open tabs; with `search` those that have this text in their app, title or address, or in a tool's name. */
  tabs(options?: { readonly search?: string | undefined }): Promise<readonly TabInfo[]>;
  /** Everything that can be called, or what one tab offers under its own names. */
  offer(tab?: string): Promise<Offer>;
  /** Makes a call. Resolves with its outcome, whatever that is, and never rejects. */
  call(call: HubCall): Promise<HubOutcome>;
  /** Hears that the tabs or what they offer are different. */
  onChange(listener: () => void): () => void;
  /**
   * Calls the listener with every event of every call of the same principal, and `onMissed` with how many were left out
   * where this client, or those that watch with it, did not keep up.
   */
  watch(listener: (event: CallEvent) => void, onMissed?: (count: number) => void): () => void;
  /** Leaves the hub; calls that run end as unknown. Can be called twice. */
  close(): void;
}
