// The tools of remote MCP servers in the browser, for one component: connected a moment after it asked for them, and
// gone when it ends.
import { registerWebMcp } from "../webmcp/index.ts";
import type { McpTool, RefusedTool, WebMcpHandle, WebMcpProgress } from "../webmcp/index.ts";
import { messageOf } from "../wire/index.ts";
import { describesSame } from "./describes-same.ts";
import { newestFunctions } from "./newest-functions.ts";
import type { Content, UseWebMcpOptions } from "./web-mcp-hook-options.ts";

/** How it stands with the servers' tools. */
export interface WebMcpStanding {
  /**
   * idle: there are no options. connecting: the servers are asked. ready: the browser has their tools. unavailable: there
   * is nothing yet to register tools with. failed: no server answered, and `error` says why; `refresh` tries again.
   */
  readonly status: "idle" | "connecting" | "ready" | "unavailable" | "failed";
  /** The names that the browser has, with their prefixes. */
  readonly tools: readonly string[];
  /** The tools that it does not have, each with why. */
  readonly refused: readonly RefusedTool[];
  /** What went wrong last, until something went well again. */
  readonly error: Error | undefined;
}

export const starting: WebMcpStanding = { status: "connecting", tools: [], refused: [], error: undefined };

export interface HeldWebMcp {
  /** Reads the lists again, or tries again what failed. Never rejects: `error` says what went wrong. */
  refresh(): Promise<void>;
  /** Takes the tools away at once. Can be called twice. */
  end(): void;
}

export interface HoldWebMcpOptions {
  readonly content: Content;
  readonly newest: () => UseWebMcpOptions | undefined;
  /** Hears of each change, until the end. */
  onStanding(standing: WebMcpStanding): void;
  /** Hears of what failed at the start, too. */
  onError(error: Error): void;
}

export function holdWebMcp({ content, newest, onStanding, onError }: HoldWebMcpOptions): HeldWebMcp {
  const life = new AbortController();
  const { signal } = life;
  let handle: WebMcpHandle | undefined;
  let connecting: Promise<void> | undefined;
  let given = newest;
  let standing = starting;

  function tell(news: Partial<WebMcpStanding>): void {
    const next = { ...standing, ...news };
    if (signal.aborted || describesSame(standing, next)) return;
    standing = next;
    onStanding(standing);
  }

  const whatThereIs = () =>
    handle ? ({ status: "ready", tools: handle.tools, refused: handle.refused } as const) : {};

  function fail(thrown: unknown, news: Partial<WebMcpStanding> = {}): void {
    if (signal.aborted) return;
    const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
    tell({ ...news, error });
    onError(error);
  }

  const { user: _user, ...options } = newestFunctions(content, () => given());
  const listeners = {
    onSync(tools: McpTool[]) {
      tell({ ...whatThereIs(), error: undefined });
      given()?.onSync?.(tools);
    },
    onError: (error: Error) => fail(error, whatThereIs()),
    onProgress: (news: WebMcpProgress) => given()?.onProgress?.(news),
  };

  async function connect(): Promise<void> {
    tell({ status: "connecting" });
    try {
      handle = await registerWebMcp({ ...options, ...listeners, signal });
      tell(whatThereIs());
    } catch (error) {
      fail(error, { status: "failed" });
    } finally {
      connecting = undefined;
    }
  }

  // The first effect of StrictMode is over by then, and nothing was connected for it.
  connecting = Promise.resolve().then(() => (signal.aborted ? undefined : connect()));

  return {
    refresh: () => (handle ? handle.refresh().catch(fail) : (connecting ??= connect())),
    end() {
      if (signal.aborted) return;
      // What is still said to the servers is said in the name of whoever this was for.
      const last = newest();
      given = () => last;
      life.abort();
    },
  };
}
