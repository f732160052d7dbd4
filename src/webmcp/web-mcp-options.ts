// The types of `registerWebMcp`. None are from the MCP SDK, whose types require Node's.
import type { Tool } from "../wire/index.ts";
import type { ResultForm } from "./browser-result.ts";
import type { RefusedTool } from "./mirror.ts";
import type { LoggerOptions } from "./web-mcp-logger.ts";

/** A tool as an MCP server offers it. */
export type McpTool = Tool;

/** Provides credentials: a bearer token, or full OAuth through the MCP SDK's own `OAuthClientProvider`. */
export type WebMcpAuthProvider =
  | { token(): Promise<string | undefined> }
  | { readonly redirectUrl: string | URL | undefined; readonly clientMetadata: object; tokens(): unknown };

/** One MCP server whose tools are registered with the browser. */
export interface WebMcpServer {
  /** The URL of its Streamable HTTP endpoint. A relative one, such as "/mcp", is resolved against the page's origin. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Record<string, string>;
  /**
   * Returns headers for each request, such as a token that is renewed; they override `headers`. After a 401 response it
   * is called once more, and if it returns other headers the request is repeated with them.
   */
  readonly getHeaders?: () => Promise<Record<string, string>> | Record<string, string>;
  readonly authProvider?: WebMcpAuthProvider;
  /** The query of the authorization server's redirect, after a sign-in that `authProvider` began. */
  readonly authorizationResponse?: URLSearchParams;
  readonly fetch?: typeof fetch;
  /**
   * The first request: "initialize", or "discover" for `server/discover` of MCP 2026-07-28. If a server refuses it, the
   * other one follows; "discover" that is not answered soon is followed by "initialize" anyway. "initialize" by default. A
   * server that keeps no sessions for older clients, and so tells them no changes, is asked to discover once it is in use.
   */
  readonly handshake?: "initialize" | "discover";
  /** A prefix for each tool's name in the browser. Calls to the server use its own name. */
  readonly prefix?: string;
  /**
   * The timeout in ms of connecting with all that belongs to it, of a refresh, and of each call: 30,000 and 60,000 for calls
   * by default.
   */
  readonly timeoutMs?: number;
  /** Limits for the server's data, by the names that errors use. */
  readonly limits?: Partial<
    Record<"frameBytes" | "jsonDepth" | "schemaBytes" | "offersPerServer" | "pagesPerList", number>
  >;
  /** Selects the tools to register; all by default. */
  readonly filter?: (tool: McpTool) => boolean;
  /** Changes how a tool is presented, including its name. It receives a copy. */
  readonly mapTool?: (tool: McpTool) => McpTool;
}

/** Options that apply to all servers. */
export interface WebMcpCommonOptions extends LoggerOptions {
  /** Whether to follow changes: tools are added and removed, and a lost server is reconnected. True by default. */
  readonly watch?: boolean;
  /**
   * The form of results for the browser. "mcp": the MCP result, also for errors, so that their message gets through.
   * "text": the text alone; errors are thrown. By default "mcp" at `document.modelContext`, "text" at
   * `navigator.modelContext`.
   */
  readonly results?: ResultForm;
  /** Whether to change invalid and duplicate names, instead of leaving such tools out. False by default. */
  readonly safeNames?: boolean;
  /** Origins whose documents may see the tools, in addition to this page's. */
  readonly exposedTo?: readonly string[];
  /** Disposes of everything when it aborts. */
  readonly signal?: AbortSignal;
  /**
   * Receives the servers' tools, by their own names, after each read: at first, after `refresh`, and when they change.
   */
  onSync?(tools: McpTool[]): void;
  /**
   * Receives failures that reject no promise: a read or a stream that fails in the background, a lost server (once until it is
   * back), a tool that is left out of a later list, one server of several that is not there.
   */
  onError?(error: Error): void;
  /** Receives the progress of calls. */
  onProgress?(update: WebMcpProgress): void;
}

export interface WebMcpProgress {
  /** The tool's name in the browser. */
  readonly tool: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** `registerWebMcp` for one server. */
export interface WebMcpOptions extends WebMcpServer, WebMcpCommonOptions {}

/** `registerWebMcp` for several servers in one call. */
export interface WebMcpServersOptions extends WebMcpCommonOptions {
  readonly servers: readonly WebMcpServer[];
}

/** The tools of MCP servers in the browser. */
export interface WebMcpHandle {
  /** The currently registered names; a new copy each time. */
  readonly tools: ReadonlyArray<string>;
  /**
   * The tools that are not registered, each with the reason; "*" stands for those beyond a limit. A new copy each time. A name
   * that the browser refused is taken once it is free.
   */
  readonly refused: ReadonlyArray<RefusedTool>;
  readonly disposed: boolean;
  /** Reads the lists again. Calls during a read get the same promise. */
  refresh(): Promise<void>;
  /** Unregisters the tools at once, and ends calls and sessions. Can be called twice; never rejects. */
  dispose(): Promise<void>;
}
