// A tool's result as models are given it: text, JSON, or JSON in the form of MCP.
import { isJsonObject, parseJson } from "../../../../wire/index.ts";
import type { Json, JsonObject } from "../../../../wire/index.ts";
import type { RehearsalResult } from "./request.ts";

export interface ReadResult {
  /** Why the tool failed. */
  readonly error?: string;
  readonly value?: Json;
}

const deepest = 64;

export function readResult({ text, failed }: RehearsalResult): ReadResult {
  const value = parseJson(text, deepest) ?? text;
  if (failed) return { error: errorIn(value) ?? text };
  if (!isJsonObject(value)) return { value };
  if (Array.isArray(value["content"]) && isContent(value["content"] as readonly Json[])) return readMcp(value);
  const error = errorIn(value);
  return error !== undefined && Object.keys(value).length <= 2 ? { error } : { value };
}

function isContent(content: readonly Json[]): boolean {
  return content.every((block) => isJsonObject(block) && typeof block["type"] === "string");
}

function readMcp(result: JsonObject): ReadResult {
  const blocks = (result["content"] as readonly JsonObject[]).map((block) => textOfBlock(block));
  const text = blocks.join("\n");
  if (result["isError"] === true) return { error: text };
  const { structuredContent } = result;
  if (isJsonObject(structuredContent)) return { value: structuredContent };
  return { value: parseJson(text, deepest) ?? text };
}

function textOfBlock(block: JsonObject): string {
  if (typeof block["text"] === "string") return block["text"];
  const resource = block["resource"];
  if (isJsonObject(resource) && typeof resource["text"] === "string") return resource["text"];
  return `(${asText(block["type"])})`;
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : "content";
}

function errorIn(value: Json): string | undefined {
  if (!isJsonObject(value) || !("error" in value)) return undefined;
  const { error } = value;
  if (typeof error === "string") return error;
  return isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : undefined;
}
