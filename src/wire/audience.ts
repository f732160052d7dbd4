import type { Tool } from "./payloads.ts";

/** In a tool's `_meta`: who may see and call it, if not everybody. */
export const audienceKey = "pagewire/audience";

/** The `_meta` of a tool that is there for the programs of a terminal, and for nobody else. */
export const terminalOnly = { [audienceKey]: "terminal" } as const;

/** Whether a tool is for the programs of a terminal only. */
export function isForTerminals({ _meta }: Pick<Tool, "_meta">): boolean {
  return _meta?.[audienceKey] === terminalOnly[audienceKey];
}
