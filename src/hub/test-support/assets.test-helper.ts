import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** The test hubs' files, by path below the folder of assets. */
export const assetFiles = {
  "browser/pagewire.js": "// the script",
  "browser/ai-agent.js": "// the element",
  "browser/ai-chat.js": "// the chat",
  "browser/agent-window.js": "// the bridge",
  "browser/actions.js": "// the actions",
  "browser/webmcp.js": "// the adapter",
  "browser/webmcp-polyfill.js": "// the polyfill",
  "browser/terminal.js": "// the view",
  "browser/chunks/dialog.js": "// a chunk",
  "browser/pagewire-worker.js": "// the worker",
  "browser/pagewire-service-worker.js": "// the other worker",
  "browser/pagewire-serving-worker.js": "// the worker that serves",
  "browser/pagewire-serving-service-worker.js": "// the other worker that serves",
  "agent/index.html": "<!doctype html><title>Assistant</title>",
  "agent/main.js": "// the agent's window",
  "console/index.html": "<!doctype html><title>Console</title>",
  "console/main.js": "// the console",
  "terminal-page/index.html": "<!doctype html><title>Terminal</title>",
  "terminal-page/main.js": "// the page with a terminal",
  "demo/index.html": '<!doctype html><meta name="pagewire-hub" content="" /><title>Demo</title>',
  "demo/main.js": "// the demo",
} as const;

/** A folder with these or other files; it is removed after the test. */
export function makeAssets(files: Readonly<Record<string, string>> = assetFiles): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-assets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
