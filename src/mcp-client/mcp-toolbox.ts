import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { CallerInfo, Toolbox } from "../toolbox/index.ts";
import type { AskMethod, Offer, OnError } from "../wire/index.ts";
import type { McpLimits } from "./mcp-limits.ts";

/** Brings credentials: a bearer token, or the whole of OAuth by the MCP SDK's own interface. */
export type McpAuthProvider = AuthProvider | OAuthClientProvider;

/** What this folder needs of time. */
export interface McpClock {
  now(): number;
  /** Runs something after so many milliseconds; the returned function keeps it from running. */
  after(milliseconds: number, run: () => void): () => void;
}

/** The request that a connection begins with. */
export type McpHandshake = "discover" | "initialize";

export interface McpToolboxOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly authProvider?: McpAuthProvider;
  /** The query that the authorization server's redirect came back with, after a sign-in that `authProvider` began. */
  readonly authorizationResponse?: URLSearchParams;
  readonly fetch?: typeof fetch;
  /**
   * What the server is asked first: "discover" for `server/discover` of 2026-07-28, "initialize" for the sessions of older
   * revisions. A server that refuses the one is asked the other, and is not asked the refused one again for a day.
   * "discover" by default.
   */
  readonly handshake?: McpHandshake;
  /** What this client calls itself. */
  readonly client?: CallerInfo;
  /** What the server may ask the callers of its tools; by default a form of their user, and a completion of their model. */
  readonly asks?: readonly AskMethod[];
  /**
   * Whether the server is listened to: what it adds and removes is heard of as it happens, and a lost connection is made
   * again. Without, nothing stays open between calls, and `refresh` reads the lists again. True by default.
   */
  readonly follow?: boolean;
  /** Which lists are read; all of them by default. */
  readonly lists?: readonly (keyof Offer)[];
  /** Whether tools and prompts are taken whose names agents elsewhere could not use. */
  readonly anyNames?: boolean;
  /** Gives up connecting when it aborts. */
  readonly signal?: AbortSignal;
  /**
   * With this a server that cannot be reached at first is no error: it hears why, and the toolbox is empty until the server
   * is found. Who follows the server looks for it until then; else the next call or `refresh` does.
   */
  readonly onUnreached?: (error: unknown) => void;
  /** Hears that a server is there again which was lost, or not there at first. */
  readonly onReached?: () => void;
  readonly limits?: Partial<McpLimits>;
  readonly clock?: McpClock;
  /** A number from zero up to one. */
  readonly random?: () => number;
  /** Hears of failures in the background, and of what the server offers and cannot be read; they go to the console by default. */
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

/** The tools, resources and prompts of a remote MCP server. */
export interface McpToolbox extends Toolbox {
  readonly url: string;
  /** What the server calls itself, where it says so and was reached. */
  readonly server: CallerInfo | undefined;
  /** What the server has to say to a model about its tools. It is a stranger's text. */
  readonly instructions: string | undefined;
  /** Reads the lists again, with a new connection where there is none. Rejects where the server cannot be reached. */
  refresh(): Promise<void>;
  /** Ends the session at the server, and all calls. Can be called twice. */
  close(): Promise<void>;
}
