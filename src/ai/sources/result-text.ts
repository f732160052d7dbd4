import { isJsonObject } from "../../wire/index.ts";
import type { Json } from "../../wire/index.ts";

/**
 * An MCP result as text for a model: its texts, or its structured content where it has none. Other blocks are only
 * mentioned: base64 means nothing to a model.
 */
export function textOfResult(result: unknown): string {
  const { content, structuredContent } = isJsonObject(result) ? result : {};
  const lines = Array.isArray(content) ? content.map(lineOf) : [];
  return lines.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : lines.join("\n");
}

function lineOf(block: Json): string {
  if (!isJsonObject(block)) return "";
  const { type, text, mimeType, uri, resource, name } = block;
  if (typeof text === "string") return text;
  if (isJsonObject(resource)) return lineOf({ ...resource, type: "resource" });
  const words = [type, name, uri, mimeType].filter((word) => typeof word === "string");
  return `[${words.join(" ")}]`;
}
