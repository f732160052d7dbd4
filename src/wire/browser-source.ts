import type { Tool } from "./payloads.ts";

/** In the `_meta` of a toolbox's tool: it came from the browser, and is not given back to it. */
export const fromBrowser = { "pagewire/source": "browser" } as const;

/** Whether a tool came from the browser, as it says of itself. */
export function isFromBrowser({ _meta }: Pick<Tool, "_meta">): boolean {
  return _meta?.["pagewire/source"] === fromBrowser["pagewire/source"];
}
