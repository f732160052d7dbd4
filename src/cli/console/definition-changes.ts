import { parseJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { oneLine } from "../common/plain-text.ts";

/** How a tool's definition differs from the accepted one, field by field: a line with - was, a line with + is. */
export function definitionChanges({ before, definition }: JsonObject): readonly string[] {
  const [was, is] = [before, definition].map((text) => parseJsonObject(wordsOf(text), 64) ?? {});
  const fields = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])].filter(
    (field) => field !== "name",
  );
  return fields.flatMap((field) => {
    const [old, now] = [was?.[field], is?.[field]].map((value) => value !== undefined && JSON.stringify(value));
    if (old === now) return [];
    return [...(old ? [`- ${field}: ${oneLine(old)}`] : []), ...(now ? [`+ ${field}: ${oneLine(now)}`] : [])];
  });
}

function wordsOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
