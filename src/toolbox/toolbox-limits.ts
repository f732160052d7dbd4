import type { Limits } from "../wire/index.ts";

/** The bounds that a toolbox keeps. */
export type ToolboxLimits = Pick<Limits, "frameBytes" | "headerBytes" | "jsonDepth" | "offersPerPage" | "schemaBytes">;

/** How deep anything that is sent may nest: frames and answers wrap it in a few levels of their own. */
export function deepestPart(limits: ToolboxLimits): number {
  return limits.jsonDepth - 4;
}
