// MCP and WebMCP have different names for the same hints. Only existing hints are passed on: the defaults of missing
// ones differ, and browsers return every missing hint as false.
import type { ToolAnnotations } from "../wire/index.ts";
import type { ModelContextAnnotations } from "./model-context.ts";

/** A tool's hints for the browser; undefined if it supports none of them. */
export function annotationsForBrowser(annotations: ToolAnnotations = {}): ModelContextAnnotations | undefined {
  const { readOnlyHint, destructiveHint, untrustedContentHint, openWorldHint } = annotations;
  return unlessEmpty({
    ...(typeof readOnlyHint === "boolean" && { readOnlyHint }),
    ...(destructiveHint === true && { consequentialHint: true }),
    ...((untrustedContentHint === true || openWorldHint === true) && { untrustedContentHint: true }),
  });
}

/** The hints of a browser's tool in MCP's terms; undefined if there are none. */
export function annotationsFromBrowser(annotations: ModelContextAnnotations = {}): ToolAnnotations | undefined {
  const { readOnlyHint, consequentialHint, untrustedContentHint } = annotations;
  return unlessEmpty({
    ...(readOnlyHint === true && { readOnlyHint }),
    ...(consequentialHint === true && { destructiveHint: true }),
    ...(untrustedContentHint === true && { untrustedContentHint, openWorldHint: true }),
  });
}

function unlessEmpty<Hints extends object>(hints: Hints): Hints | undefined {
  return Object.keys(hints).length > 0 ? hints : undefined;
}
