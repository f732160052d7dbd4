import { isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { deepestText, objectInText } from "../browser-result.ts";

/**
 * What a toolbox's handler answers for what a browser's tool gave: text, or null where it led to another page. The text
 * may be an MCP result, which is passed on, or an object. An object that the text alone says is given as well.
 */
export function browserToolAnswer(name: string, given: unknown): unknown {
  if (given === null) {
    return `The tool "${name}" led to another page, which may have other tools. List them again.`;
  }
  if (typeof given !== "string") return given;
  const value = parseJsonObject(given, deepestText);
  if (!value) return given;
  if (isMcpResult(value)) {
    const structuredContent = value["structuredContent"] ?? objectInText(value);
    return structuredContent === undefined ? value : { ...value, structuredContent };
  }
  return { content: [{ type: "text", text: given }], structuredContent: value };
}

/** One that asks for input first is none: the answers could not reach the tool, and whoever wrote it may be a stranger. */
function isMcpResult({ content, resultType = "complete" }: JsonObject): boolean {
  return (
    resultType === "complete" &&
    Array.isArray(content) &&
    content.every((block) => isJsonObject(block) && typeof block["type"] === "string")
  );
}
