// Converts a call's result for the browser. Browsers only support text and JSON, and drop a thrown error's message; an
// MCP result preserves it.
import type { CallOutcome } from "../toolbox/index.ts";
import { isJsonObject, messageOf, pageLimits, parseJsonObject } from "../wire/index.ts";
import type { Json, JsonObject } from "../wire/index.ts";

/** "mcp": the MCP result, also for an error, without duplicate content. "text": only its text; errors are thrown. */
export type ResultForm = "mcp" | "text";

/**
 * The result for the browser. In the form "text", `lost` receives the type of each block that text cannot represent in
 * full.
 */
export function browserAnswer(
  outcome: CallOutcome,
  form: ResultForm,
  lost: (type: string) => void = () => {},
): string | JsonObject {
  const result = resultOf(outcome);
  if (form === "mcp") return withoutRepetition(result);
  const text = textOf(result, lost);
  if (result["isError"] === true) throw new Error(text || "The tool failed, and did not say why.");
  return text;
}

/** An MCP result for a failure. */
export function failedResult(message: string, code?: string): JsonObject {
  const marks = code === undefined ? {} : { _meta: { "pagewire/code": code } };
  return { content: [{ type: "text", text: message }], isError: true, ...marks };
}

/** Agents see the whole result, so structured content is dropped if the text is its JSON. */
function withoutRepetition(result: JsonObject): JsonObject {
  const { structuredContent, ...rest } = result;
  const isRepeated =
    isJsonObject(structuredContent) && JSON.stringify(objectInText(result)) === JSON.stringify(structuredContent);
  return isRepeated ? rest : result;
}

/** The object in the JSON of a result's only block; undefined for other results, and for errors. */
export function objectInText({ content, isError }: JsonObject): JsonObject | undefined {
  const [block, ...others] = Array.isArray(content) ? (content as readonly Json[]) : [];
  if (isError === true || others.length > 0 || !isJsonObject(block) || block["type"] !== "text") return undefined;
  return typeof block["text"] === "string" ? parseJsonObject(block["text"], deepestText) : undefined;
}

/** The max nesting of a text that is parsed as JSON, with room for the levels that wrap an answer. */
export const deepestText = pageLimits.jsonDepth - 8;

function resultOf(outcome: CallOutcome): JsonObject {
  if (outcome.kind === "aborted") return failedResult("The call was cancelled.", "cancelled");
  if (outcome.kind !== "result") return failedResult(outcome.message, outcome.code);
  try {
    const result: unknown = JSON.parse(outcome.payload);
    if (!isJsonObject(result)) throw new Error("it is no JSON object");
    return Array.isArray(result["content"]) ? result : { ...result, content: [] };
  } catch (error) {
    return failedResult(`The tool's answer cannot be read: ${messageOf(error)}.`, "result-unsendable");
  }
}

function textOf({ content, structuredContent }: JsonObject, lost: (type: string) => void): string {
  const blocks = content as readonly Json[];
  if (blocks.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return blocks
    .map((block) => (isJsonObject(block) ? lineOf(block, lost) : undefined))
    .filter((line) => line !== undefined)
    .join("\n");
}

function lineOf(block: JsonObject, lost: (type: string) => void): string | undefined {
  const { type, text, data, uri, resource } = block;
  if (type === "text" && typeof text === "string") return text;
  if (type === "image" && typeof data === "string") return dataUrl(block, data, "image/png");
  if (type === "audio" && typeof data === "string") return dataUrl(block, data, "audio/wav");
  lost(typeof type === "string" ? type : "?");
  if (type === "resource" && isJsonObject(resource)) return contentsOf(resource);
  return typeof uri === "string" ? uri : undefined;
}

function contentsOf(resource: JsonObject): string | undefined {
  const { text, blob, uri } = resource;
  if (typeof text === "string") return text;
  if (typeof blob === "string") return dataUrl(resource, blob, "application/octet-stream");
  return typeof uri === "string" ? uri : undefined;
}

function dataUrl({ mimeType }: JsonObject, base64: string, otherwise: string): string {
  return `data:${typeof mimeType === "string" ? mimeType : otherwise};base64,${base64}`;
}
