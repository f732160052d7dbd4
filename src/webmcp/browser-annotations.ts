// MCP and WebMCP name the same hints differently. Only hints that are present are passed on: a missing one has another
// default on each side, and browsers return every missing one as false.
import type { ToolAnnotations } from "../wire/index.ts";
import type { ModelContextAnnotations } from "./model-context.ts";

/** The hints of a tool as a browser takes them; undefined where it knows none of them. */
export function annotationsForBrowser(annotations: ToolAnnotations = {}): ModelContextAnnotations | undefined {
  const { readOnlyHint, destructiveHint, untrustedContentHint, openWorldHint } = annotations;
  return unlessEmpty({
    ...(typeof readOnlyHint === "boolean" && { readOnlyHint }),
    ...(destructiveHint === true && { consequentialHint: true }),
    ...((untrustedContentHint === true || openWorldHint === true) && { untrustedContentHint: true }),
  });
}

/** The hints of a browser's tool in MCP's terms; undefined where it has none. */
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
