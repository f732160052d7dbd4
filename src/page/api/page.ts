import type { LocalToolbox } from "../../toolbox/index.ts";
import type { JsonObject, OutcomeName } from "../../wire/index.ts";

/** How a page stands with its hub. `message` is a sentence that can be shown as it is. */
export type PageState =
  | { readonly status: "connecting"; readonly message: string }
  | { readonly status: "connected"; readonly message: string; readonly tabId: string; readonly via: Via }
  | { readonly status: "reconnecting"; readonly message: string; readonly retryAt: number }
  | {
      readonly status: "refused";
      readonly message: string;
      readonly code: string;
      /** The one command that puts it right, where there is one. */
      readonly command?: string | undefined;
      readonly retryAt: number;
    }
  | { readonly status: "signed-out"; readonly message: string }
  | { readonly status: "suspended"; readonly message: string }
  | { readonly status: "closed"; readonly message: string };

/**
 * A token that the app's own server signed, or how to get a fresh one of the same person. With null or "" nobody is
 * signed in.
 */
export type PageToken = string | null | (() => string | Promise<string>);

/** How a page is connected to its hub, and why not in a way that was asked for and would have come first. */
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
  /** What the calling agent calls itself, and its version if it says so. */
  readonly agent: string;
  readonly agentVersion?: string | undefined;
  /** With "started", unless the tool is for terminals only: passwords are said to those. */
  readonly arguments?: JsonObject;
  /** With "progress". */
  readonly progress?: number;
  readonly total?: number | undefined;
  /** With "ended". */
  readonly outcome?: OutcomeName;
  readonly milliseconds?: number;
}

/** Those who follow each call of a page; mostly nobody. */
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
  /** Hears of every change of state; returns a function that stops it. */
  onState(listener: (state: PageState) => void): () => void;
  /** Hears of every call that runs in this page; returns a function that stops it. */
  onCall(listener: (event: PageCallEvent) => void): () => void;
  /** Tries again now instead of waiting. */
  reconnect(): void;
  /**
   * Another person signed in: the tools go to the principal of this token at once, and what runs ends. With null or ""
   * they are nobody's. The same token, or a fresh one of the same person, disturbs nothing; another function is another
   * person's.
   */
  setToken(token: PageToken): void;
  /** Takes the tools away and leaves the hub. Can be called twice. */
  close(): void;
}
