// Third-party programs that use a page's tools through the browser's model context: Playwright itself, and the MCP
// servers @playwright/mcp and chrome-devtools-mcp, as installed, attached to a Chromium that Playwright started.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright";
import type { BrowserContext } from "playwright";
import { findChromium } from "../../../scripts/find-chromium.mjs";
import { connectStdio } from "./stdio-client.ts";
import type { StdioClient } from "./stdio-client.ts";
import { waitUntil } from "./wait.ts";

const require = createRequire(import.meta.url);

/** A Chromium with document.modelContext whose tabs several programs drive at the same time. */
export interface SharedBrowser {
  readonly context: BrowserContext;
  /** The address of its debugging protocol. */
  readonly address: string;
  close(): Promise<void>;
}

/** Starts it with the one argument that `page.webmcp` requires. */
export async function launchSharedBrowser(): Promise<SharedBrowser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error("No Chromium found: install it, or set PAGEWIRE_CHROMIUM to its path.");
  const profile = await mkdtemp(join(tmpdir(), "pagewire-chromium-"));
  const args = ["--enable-features=WebMCP", "--remote-debugging-port=0"];
  const context = await chromium.launchPersistentContext(profile, { executablePath, args });
  const portFile = () => readFile(join(profile, "DevToolsActivePort"), "utf8").catch(() => "");
  const [port] = (await waitUntil(portFile, () => "Chromium does not say its port.")).split("\n");
  return {
    context,
    address: `http://127.0.0.1:${port}`,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

/** Attaches `@playwright/mcp` to a browser. */
export function connectPlaywrightMcp(address: string): Promise<StdioClient> {
  return connectStdio(join(require.resolve("@playwright/mcp/package.json"), "../cli.js"), {
    args: ["--cdp-endpoint", address],
  });
}

/** Attaches `chrome-devtools-mcp` to a browser, with its features for pages' tools. */
export function connectChromeDevTools(address: string): Promise<StdioClient> {
  const own = ["--categoryExperimentalWebmcp", "--no-usage-statistics", "--no-performance-crux"];
  return connectStdio(
    join(require.resolve("chrome-devtools-mcp/package.json"), "../build/src/bin/chrome-devtools-mcp.js"),
    {
      args: ["--browserUrl", address, ...own],
    },
  );
}
