import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { jsonText, oneLine } from "../common/plain-text.ts";

/** A page's answer as text for people: texts as they are, everything else described. */
export function renderContent(result: JsonObject): readonly string[] {
  const { content, structuredContent, messages, contents } = result;
  const blocks = [content, contents].flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []));
  if (blocks.length > 0) return blocks.map(renderBlock);
  if (structuredContent !== undefined) return [jsonText(structuredContent, 2)];
  return content === undefined || messages !== undefined ? [jsonText(result, 2)] : [];
}

function renderBlock(block: Json): string {
  if (!isJsonObject(block)) return jsonText(block);
  const { type, text, data, mimeType, resource, uri, name } = block;
  if (typeof text === "string" && (type === "text" || type === undefined)) return text;
  if ((type === "image" || type === "audio") && typeof data === "string")
    return `[${describe(type, mimeType, sizeOf(data))}]`;
  if (type === "resource" && isJsonObject(resource)) return renderResource(resource);
  if (type === "resource_link") return `[${describe("link", name, uri, mimeType)}]`;
  return jsonText(block);
}

function renderResource({ uri, mimeType, text, blob }: JsonObject): string {
  const size = typeof blob === "string" ? sizeOf(blob) : undefined;
  const title = `[${describe("resource", uri, mimeType, size)}]`;
  return typeof text === "string" ? `${title}\n${text}` : title;
}

function describe(...parts: readonly (Json | undefined)[]): string {
  return parts.flatMap((part) => (typeof part === "string" && part !== "" ? [oneLine(part, 200)] : [])).join(" ");
}

/** The decoded size of base64 text. */
function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
