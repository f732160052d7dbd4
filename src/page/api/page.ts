import type { LocalToolbox } from "../../toolbox/index.ts";
import type { JsonObject, OutcomeName } from "../../wire/index.ts";

/** The state of a page's connection. `message` is a sentence that can be shown to users. */
export type PageState =
  | { readonly status: "connecting"; readonly message: string }
  | { readonly status: "connected"; readonly message: string; readonly tabId: string; readonly via: Via }
  | { readonly status: "reconnecting"; readonly message: string; readonly retryAt: number }
  | {
      readonly status: "refused";
      readonly message: string;
      readonly code: string;
      /** The command that fixes it, if there is one. */
      readonly command?: string | undefined;
      readonly retryAt: number;
    }
  | { readonly status: "signed-out"; readonly message: string }
  | { readonly status: "suspended"; readonly message: string }
  | { readonly status: "closed"; readonly message: string };

/**
 * A token that the app's own server signed, or a function that gets a fresh one of the same person. With null or "" the
 * user is anonymous.
 */
export type PageToken = string | null | (() => string | Promise<string>);

/** The transport to the hub, and why a preferred one is not used. */
export interface Via {
  readonly kind: "socket" | "shared-worker" | "service-worker";
  readonly reason?: string;
}

/** One moment in the life of a call, as the page that runs it sees it. */
export interface PageCallEvent {
  readonly event: "started" | "progress" | "ended";
  readonly id: string;
  readonly method: string;
  readonly name: string;
  /** The calling agent's name, and its version if known. */
  readonly agent: string;
  readonly agentVersion?: string | undefined;
  /** With "started", unless only terminals may call the tool: its arguments may be passwords. */
  readonly arguments?: JsonObject;
  /** With "progress". */
  readonly progress?: number;
  readonly total?: number | undefined;
  /** With "ended". */
  readonly outcome?: OutcomeName;
  readonly milliseconds?: number;
}

/** The listeners for a page's calls; usually none. */
export interface CallFollowers {
  readonly all: ReadonlySet<unknown>;
  tell(event: PageCallEvent): void;
}

/** A page that offers its tools. */
export interface Page extends Pick<
  LocalToolbox,
  "registerTool" | "registerResource" | "registerResourceTemplate" | "registerPrompt" | "resourceUpdated"
> {
  readonly state: PageState;
  readonly toolbox: LocalToolbox;
  /** The address of its hub. */
  readonly hub: string;
  /** Calls back on every change of state; returns a function that stops it. */
  onState(listener: (state: PageState) => void): () => void;
  /** Calls back on every event of a call in this page; returns a function that stops it. */
  onCall(listener: (event: PageCallEvent) => void): () => void;
  /** Reconnects now instead of waiting for the backoff. */
  reconnect(): void;
  /**
   * Changes the signed-in user: the tools belong to the principal of this token at once, and running calls are aborted.
   * With null or "" the user is anonymous. The same token, or a refreshed one of the same person, aborts nothing;
   * another function counts as another person.
   */
  setToken(token: PageToken): void;
  /** Removes the tools and leaves the hub. Can be called twice. */
  close(): void;
}
