// Calls the page's callbacks. If one throws, that is logged, and has no other effect.
import type { Tool } from "../wire/index.ts";
import type { BridgeSettings } from "./bridge-settings.ts";
import type { RefusedTool } from "./mirror.ts";
import type { WebMcpProgress } from "./web-mcp-options.ts";

export interface BridgeNews {
  synced(offered: readonly Tool[]): void;
  progressed(news: WebMcpProgress): void;
  /** Reports a failure that rejects no promise. */
  problem(error: Error): void;
  leftOut(tool: RefusedTool): void;
  /** A server is connected again. */
  back(server: string): void;
}

type NewsSettings = Pick<BridgeSettings, "logger" | "onSync" | "onError" | "onProgress">;

/** Stops when `stop` aborts. */
export function createNews({ logger, onSync, onError, onProgress }: NewsSettings, stop?: AbortSignal): BridgeNews {
  function tell<News>(listener: ((news: News) => void) | undefined, news: News): void {
    if (stop?.aborted) return;
    try {
      listener?.(news);
    } catch (error) {
      logger.error("A callback of registerWebMcp threw:", error);
    }
  }

  return {
    // Copies, so that the page cannot change ours.
    synced: (offered) => onSync && tell(onSync, structuredClone([...offered])),
    progressed: (news) => tell(onProgress, news),
    problem(error) {
      if (!stop?.aborted) logger.warn(error.message);
      tell(onError, error);
    },
    back: (server) => logger.info(`The MCP server at ${server} is back.`),
    leftOut: ({ name, message }) => logger.warn(`The tool "${name}" is left out: ${message}`),
  };
}
