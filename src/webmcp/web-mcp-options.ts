// What `registerWebMcp` takes and gives. Only types of our own: those of the MCP SDK ask for Node's.
import type { Tool } from "../wire/index.ts";
import type { ResultForm } from "./browser-result.ts";
import type { RefusedTool } from "./mirror.ts";
import type { LoggerOptions } from "./web-mcp-logger.ts";

/** A tool as an MCP server offers it. */
export type McpTool = Tool;

/** Brings credentials: a bearer token, or all of OAuth by the MCP SDK's own `OAuthClientProvider`. */
export type WebMcpAuthProvider =
  | { token(): Promise<string | undefined> }
  | { readonly redirectUrl: string | URL | undefined; readonly clientMetadata: object; tokens(): unknown };

/** One MCP server whose tools go to the browser. */
export interface WebMcpServer {
  /** Of its Streamable HTTP endpoint. A relative one, such as "/mcp", is taken from the page's origin. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Record<string, string>;
  /**
   * Gives headers for each request, such as a token that is renewed; they win over `headers`. When the server answers 401
   * it is asked once more, and where it then gives others the request is made again with them.
   */
  readonly getHeaders?: () => Promise<Record<string, string>> | Record<string, string>;
  readonly authProvider?: WebMcpAuthProvider;
  /** The query that the authorization server's redirect came back with, after a sign-in that `authProvider` began. */
  readonly authorizationResponse?: URLSearchParams;
  readonly fetch?: typeof fetch;
  /**
   * The first request: "initialize", or "discover" for `server/discover` of MCP 2026-07-28. The other one follows where a
   * server refuses it. "initialize" by default.
   */
  readonly handshake?: "initialize" | "discover";
  /** Put before each name, as the browser knows the tool; the server is asked by its own. */
  readonly prefix?: string;
  /** Milliseconds that connecting may take, and each request: 30,000 for lists and 60,000 for calls by default. */
  readonly timeoutMs?: number;
  /** Bounds on what the server sends, by the names that errors tell. */
  readonly limits?: Partial<
    Record<"frameBytes" | "jsonDepth" | "schemaBytes" | "offersPerServer" | "pagesPerList", number>
  >;
  /** Which of its tools the browser is given; all by default. */
  readonly filter?: (tool: McpTool) => boolean;
  /** Changes how a tool is presented, its name included. What is given is a copy. */
  readonly mapTool?: (tool: McpTool) => McpTool;
}

/** Options that apply to all servers. */
export interface WebMcpCommonOptions extends LoggerOptions {
  /** Whether the servers are listened to: tools come and go, and a lost server is looked for. True by default. */
  readonly watch?: boolean;
  /**
   * The form of results for the browser. "mcp": the MCP result, also for errors, so that their message gets through.
   * "text": the text alone; errors are thrown. By default "mcp" at `document.modelContext`, "text" at
   * `navigator.modelContext`.
   */
  readonly results?: ResultForm;
  /** Changes names that browsers do not take, or that are there twice, instead of leaving such tools out. False by default. */
  readonly safeNames?: boolean;
  /** Origins whose documents may see the tools beside this page's. */
  readonly exposedTo?: readonly string[];
  /** Disposes of it all when it aborts. */
  readonly signal?: AbortSignal;
  /** Receives the servers' tools, by their own names, each time they were read: at first, after `refresh`, and when they changed. */
  onSync?(tools: McpTool[]): void;
  /** Receives failures that reject no promise: background reads, tools left out, one server of several. */
  onError?(error: Error): void;
  /** Receives the progress of calls. */
  onProgress?(news: WebMcpProgress): void;
}

export interface WebMcpProgress {
  /** By the name that the browser knows. */
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
  /** The names that the browser has now; a fresh copy each time. */
  readonly tools: ReadonlyArray<string>;
  /** The tools that it does not have, each with why; a fresh copy each time. */
  readonly refused: ReadonlyArray<RefusedTool>;
  readonly disposed: boolean;
  /** Reads the lists again. While one reading is in flight there is no second: all are given the same promise. */
  refresh(): Promise<void>;
  /** Takes the tools out of the browser at once and ends calls and sessions. Can be called twice; never rejects. */
  dispose(): Promise<void>;
}
