// MCP and WebMCP have hints about tools that say the same by other names. Only what is said is passed on: a hint that is
// missing means something else on each side, and browsers give every missing one as false.
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

/** The hints of a browser's tool as MCP has them; undefined where it says nothing. */
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
