import { browserTab } from "../browser-tab.ts";
import { serveBrowser } from "../serve-browser.ts";
import type { BrowserServing } from "../browser-calls.ts";

/** Serves the browser's own agent in this document. */
export function serveModelContext(options: BrowserServing): void {
  serveBrowser(options, browserTab());
}
