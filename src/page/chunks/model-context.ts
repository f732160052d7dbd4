import { browserTab } from "../browser/browser-tab.ts";
import { serveBrowser } from "../browser-agent/serve-browser.ts";
import type { BrowserServing, ServedBrowser } from "../browser-agent/browser-calls.ts";

/** Serves the browser's own agent in this document. */
export function serveModelContext(options: BrowserServing): ServedBrowser {
  return serveBrowser(options, browserTab());
}
