import { unlessAborted } from "../toolbox/index.ts";
import { createBridge } from "./bridge.ts";
import { createNotifier } from "./bridge-notifier.ts";
import { readSettings } from "./bridge-settings.ts";
import { findModelContext } from "./model-context.ts";
import { chooseLogger } from "./web-mcp-logger.ts";
import type { WebMcpHandle, WebMcpOptions, WebMcpServersOptions } from "./web-mcp-options.ts";

/**
 * Registers the tools of remote MCP servers with the browser, for the browser's own agent. If the browser has no model
 * context, as on a server, no request is made and the handle is empty.
 *
 * Rejects if no server can be used; `onError` receives later failures. A failed call resolves with an error result or
 * rejects, by the option `results`.
 */
export async function registerWebMcp(options: WebMcpOptions | WebMcpServersOptions): Promise<WebMcpHandle> {
  const { signal } = options;
  signal?.throwIfAborted();
  const found = findModelContext();
  if (!found) return withoutBrowser(options);
  const settings = readSettings(options);
  const { handle, start } = createBridge(found, settings);
  try {
    await unlessAborted(start(), signal);
    return handle;
  } catch (error) {
    const ending = handle.dispose();
    signal?.throwIfAborted();
    await ending;
    settings.logger.error("No MCP server could be used:", error);
    throw error;
  }
}

function withoutBrowser(options: WebMcpOptions | WebMcpServersOptions): WebMcpHandle {
  const logger = chooseLogger(options);
  const missing = "neither document.modelContext nor navigator.modelContext is there";
  logger.info(`This browser has no WebMCP, ${missing}: no tools are registered, and no server is asked.`);
  createNotifier({ ...options, logger }).synced([]);
  let disposed = false;
  return {
    get tools() {
      return [];
    },
    get refused() {
      return [];
    },
    get disposed() {
      return disposed;
    },
    refresh: () => Promise.resolve(),
    async dispose() {
      disposed = true;
    },
  };
}
