import type { Clock, SocketClass } from "../link/index.ts";
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

/** Answers a page's question to its caller; on a rejection the page gets an error. */
export type AskHandler = (
  parameters: JsonObject,
  context: { readonly name: string; readonly signal: AbortSignal },
) => Promise<JsonObject>;

/** The client's identity and abilities. */
export interface HubClientOptions {
  /** The hub's token for agents; a function is called for each connection. */
  readonly token?: string | (() => Promise<string>);
  readonly agent: { readonly name: string; readonly version?: string };
  /** Distinguishes this client from others with the same token and name; a random one by default. */
  readonly session?: string;
  /** The questions that this client can answer. For others pages ask their own user. */
  readonly onAsk?: { readonly [Method in AskMethod]?: AskHandler };
  /** Called with errors of background work; by default they go to the console. */
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
  /** Requests the hub's proof of its identity before the token is used; the runtime's own by default. */
  readonly fetch?: DelegateFetch | undefined;
  /** The hub's own listening address, if it is reached through your own relay, such as a tunnel or a container's port. */
  readonly relayTo?: string | undefined;
}

/** The state of a client's connection. `message` is a sentence that can be shown unchanged. */
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
  /** The hub refuses this client, and retries will not help. */
  | { readonly status: "refused"; readonly message: string; readonly code: ErrorCode }
  | { readonly status: "closed"; readonly message: string };

export interface HubCall {
  /** A tool's call by default. */
  readonly method?: CallMethod;
  /** The name or URI that this client was shown. */
  readonly name: string;
  readonly arguments?: JsonObject;
  readonly tab?: string | undefined;
  /** A repeated key gets the same outcome, never a second run; a call with a key survives lost connections. */
  readonly key?: string | undefined;
  /** Milliseconds that the call may take: a minute by default, at most fifteen (limits `callTime`, `callTimeMost`). */
  readonly timeout?: number | undefined;
  /**
   * The call's position in a trace, for the page. By default OpenTelemetry's current one, if the program has loaded its
   * API.
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

export interface HubOutcome extends Omit<Outcome, "payload"> {
  /** The page's own answer, with "ok" and "tool-error". */
  readonly result?: JsonObject;
  /** The tab that took the call. */
  readonly tabId?: string;
}

/** A connection to a hub that is made again whenever it ends. */
export interface HubClient {
  readonly state: HubClientState;
  /** Listens for every change of state; the returned function unsubscribes. */
  onState(listener: (state: HubClientState) => void): () => void;
  /** The open tabs; with `search` those with this text in their app, title or address, or in a tool's name. */
  tabs(options?: { readonly search?: string | undefined }): Promise<readonly TabInfo[]>;
  /** Everything that can be called, or the offer of one tab under its own names. */
  offer(tab?: string): Promise<Offer>;
  /** Makes a call. Resolves with its outcome, and never rejects. */
  call(call: HubCall): Promise<HubOutcome>;
  /** Listens for changes of the tabs or their offers. */
  onChange(listener: () => void): () => void;
  /**
   * Calls the listener with every event of every call of the same principal, and `onMissed` with the number of dropped events
   * if this client, or other watchers, were too slow.
   */
  watch(listener: (event: CallEvent) => void, onMissed?: (count: number) => void): () => void;
  /** Disconnects; running calls end as unknown. May be called twice. */
  close(): void;
}

/** The part of a response that is used. */
export interface DelegateResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Sends one request; the `fetch` of browsers and of Node is one. */
export type DelegateFetch = (
  url: string,
  request: {
    readonly method: "GET" | "POST";
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
    readonly redirect: "manual";
  },
) => Promise<DelegateResponse>;
