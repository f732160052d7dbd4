// Calls the page's callbacks. If one throws, that is logged, and has no other effect.
import type { Tool } from "../wire/index.ts";
import type { BridgeSettings } from "./bridge-settings.ts";
import type { RefusedTool } from "./mirror.ts";
import type { WebMcpProgress } from "./web-mcp-options.ts";

export interface BridgeNotifier {
  synced(offered: readonly Tool[]): void;
  progressed(update: WebMcpProgress): void;
  /** Reports a failure that rejects no promise. */
  problem(error: Error): void;
  leftOut(tool: RefusedTool): void;
  /** A server is connected again. */
  back(server: string): void;
}

type NotifierSettings = Pick<BridgeSettings, "logger" | "onSync" | "onError" | "onProgress">;

/** Stops when `stop` aborts. */
export function createNotifier(
  { logger, onSync, onError, onProgress }: NotifierSettings,
  stop?: AbortSignal,
): BridgeNotifier {
  function notify<Update>(listener: ((update: Update) => void) | undefined, update: Update): void {
    if (stop?.aborted) return;
    try {
      listener?.(update);
    } catch (error) {
      logger.error("A callback of registerWebMcp threw:", error);
    }
  }

  return {
    // Copies, so that the page cannot change ours.
    synced: (offered) => onSync && notify(onSync, structuredClone([...offered])),
    progressed: (update) => notify(onProgress, update),
    problem(error) {
      if (!stop?.aborted) logger.warn(error.message);
      notify(onError, error);
    },
    back: (server) => logger.info(`The MCP server at ${server} is back.`),
    leftOut: ({ name, message }) => logger.warn(`The tool "${name}" is left out: ${message}`),
  };
}
