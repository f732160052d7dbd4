import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { CallerInfo, Toolbox } from "../toolbox/index.ts";
import type { AskMethod, Offer, OnError } from "../wire/index.ts";
import type { McpLimits } from "./mcp-limits.ts";

/** Provides credentials: a bearer token, or full OAuth through the MCP SDK's own interface. */
export type McpAuthProvider = AuthProvider | OAuthClientProvider;

export interface McpClock {
  now(): number;
  /** Starts a timer; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

/** The request that a connection begins with. */
export type McpHandshake = "discover" | "initialize";

export interface McpToolboxOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly authProvider?: McpAuthProvider;
  /** The query of the authorization server's redirect, after a sign-in that `authProvider` began. */
  readonly authorizationResponse?: URLSearchParams;
  readonly fetch?: typeof fetch;
  /**
   * The first request: "discover" for `server/discover` of 2026-07-28, "initialize" for the sessions of older revisions.
   * If the server refuses it, the other one follows; `discoverTime` after "discover" it follows anyway, and the first answer
   * counts. What a server refused or left unanswered is remembered for a day. "discover" by default.
   */
  readonly handshake?: McpHandshake;
  /** The name and version of this client. */
  readonly client?: CallerInfo;
  /** The requests that the server may send to callers; by default elicitation and sampling. */
  readonly asks?: readonly AskMethod[];
  /**
   * Whether to keep a notification stream open: changes of the server's lists arrive as they happen, and lost connections
   * are restored. Without it, nothing stays open between calls, and `refresh` reads the lists. True by default.
   */
  readonly follow?: boolean;
  /** The lists to read; all of them by default. */
  readonly lists?: readonly (keyof Offer)[];
  /** Whether to accept tools and prompts with names that agents elsewhere could not use. */
  readonly anyNames?: boolean;
  readonly signal?: AbortSignal;
  /**
   * If set, a server that cannot be reached at first is no error: the callback receives the reason, and the toolbox is
   * empty until the server is reached: by retries if `follow` is on, else by the next call or `refresh`.
   */
  readonly onUnreached?: (error: unknown) => void;
  /** Called when the server is back, or reachable for the first time. */
  readonly onReached?: () => void;
  readonly limits?: Partial<McpLimits>;
  readonly clock?: McpClock;
  /** Returns a number from zero up to one. */
  readonly random?: () => number;
  /**
   * Receives background failures (stages "mcp server" and "mcp connection") and items of the server's offer that are left out
   * ("mcp offer"), each once; they go to the console by default.
   */
  readonly onError?: OnError;
}

/** The options with their defaults. */
export interface SessionOptions extends McpToolboxOptions {
  readonly url: string;
  readonly follow: boolean;
  readonly asks: readonly AskMethod[];
  readonly handshake: McpHandshake;
  readonly limits: McpLimits;
  readonly clock: McpClock;
  readonly random: () => number;
}

/** An item of a server's list that is not offered. */
export interface LeftOut {
  readonly kind: keyof Offer;
  /** Its name or URI; "*" for the items beyond a limit. */
  readonly name: string;
  readonly message: string;
}

/** The tools, resources and prompts of a remote MCP server. */
export interface McpToolbox extends Toolbox {
  readonly url: string;
  /** The server's name and version, after the first connection. */
  readonly server: CallerInfo | undefined;
  /** The server's instructions for models. Untrusted text. */
  readonly instructions: string | undefined;
  /** The items of the server's lists that are not offered, each with the reason. */
  leftOut(): readonly LeftOut[];
  /** Reads the lists again, over a new connection if there is none. Rejects if the server cannot be reached. */
  refresh(): Promise<void>;
  /** Ends the session at the server, and all calls. Can be called twice. */
  close(): Promise<void>;
}
