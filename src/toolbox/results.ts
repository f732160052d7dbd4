// Converts a handler's return value to MCP JSON, and validates that JSON.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { CallToolResult, ErrorCode, Json, JsonObject } from "../wire/index.ts";
import type { Result } from "./run-call.ts";
import { toData } from "./to-data.ts";
import type { Sending } from "./to-json.ts";
import type { CallOutcome } from "./toolbox.ts";

/** Validates structured content against the tool's output schema; returns the validated value. */
export type AcceptAnswer = (value: unknown, sending: Sending) => Promise<unknown>;

/** Converts a tool's return value to an MCP result; throws if it cannot be sent. */
export async function toolResult(answer: unknown, sending: Sending, accept: AcceptAnswer | undefined): Promise<Result> {
  if (isCallToolResult(answer)) {
    const isError = answer.isError === true;
    if (!accept || isError) return { payload: mcpResult(answer, sending), isError };
    const structuredContent = await accept(answer.structuredContent, sending);
    return { payload: mcpResult({ ...answer, structuredContent }, sending), isError };
  }
  if (answer === undefined && !accept) return { payload: '{"content":[]}', isError: false };
  const value = accept ? await accept(answer, sending) : answer;
  const json = JSON.stringify(toData(value, sending));
  const text = typeof value === "string" ? json : JSON.stringify(json);
  // Before 2026 MCP allowed only objects there, so any other value needs an output schema.
  const structured = accept || json.startsWith("{") ? `,"structuredContent":${json}` : "";
  return { payload: `{"content":[{"type":"text","text":${text}}]${structured}}`, isError: false };
}

/** The result of a tool that failed. */
export function toolError(code: ErrorCode, text: string): CallOutcome {
  const result = { content: [{ type: "text", text }], isError: true, _meta: { "pagewire/code": code } };
  return { kind: "result", payload: JSON.stringify(result), isError: true };
}

/**
 * An object with other fields is the page's own value, such as an editor's document, which also has `content`. With
 * `isError` it is a result, even if a later version of MCP adds fields.
 */
function isCallToolResult(answer: unknown): answer is CallToolResult {
  if (!isJsonObject(answer) || !Array.isArray(answer["content"])) return false;
  for (const block of answer["content"]) if (!isJsonObject(block) || typeof block["type"] !== "string") return false;
  if (typeof answer["isError"] === "boolean") return true;
  for (const key of Object.keys(answer)) {
    if (!/^(content|structuredContent|isError|_meta|resultType)$/.test(key)) return false;
  }
  return true;
}

/** Throws if the part of a result at this path is not valid MCP. */
type Check = (part: Json | undefined, path: string) => void;

/** Throws if a result is not valid for its kind. */
export type CheckResult = (result: JsonObject) => void;

/** Required string fields by content type. Unknown types are passed through. */
const textsOfBlock: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource_link: ["uri", "name"],
};

/** Serializes an MCP result; throws with the path if it cannot be sent or is malformed. */
export function mcpResult(result: unknown, sending: Sending, checkMore?: CheckResult): string {
  const data = toData(result, sending);
  try {
    const { resultType, ...rest } = data as JsonObject;
    const { isError = false, _meta = {}, description = "" } = rest;
    const wrong =
      typeof isError !== "boolean"
        ? "isError is neither true nor false"
        : !isJsonObject(_meta)
          ? "_meta is not an object"
          : typeof description !== "string"
            ? "description is not a text"
            : ![undefined, "complete", "input_required"].includes(resultType as string) &&
              "resultType is neither complete nor input_required";
    if (wrong) throw new TypeError(`$.${wrong}.`);
    checkEach("content", rest, checkBlock);
    checkEach("contents", rest, checkContents);
    checkMore?.(rest);
    // Set by newer MCP versions on every result; unknown to older ones.
    return JSON.stringify(resultType === "complete" ? rest : data);
  } catch (error) {
    throw new PagewireError(sending.code, `${sending.what} cannot be sent: ${(error as Error).message}`);
  }
}

/** Validates the items of a list, if the result has it. */
export function checkEach(name: string, lists: JsonObject, check: Check): void {
  const list = lists[name];
  if (Array.isArray(list)) for (let at = 0; at < list.length; at++) check(list[at] as Json, `$.${name}[${at}]`);
}

/** Throws if a part is not an object, or one of its fields not a string. */
export function checkTexts(
  part: Json | undefined,
  path: string,
  names: readonly string[] = [],
): asserts part is JsonObject {
  if (!isJsonObject(part)) throw new TypeError(`${path} is not an object.`);
  for (const name of names) {
    if (typeof part[name] !== "string") throw new TypeError(`${path}.${name} is not a text.`);
  }
}

export const checkBlock: Check = (block, path) => {
  checkTexts(block, path, ["type"]);
  const type = block["type"] as string;
  if (type === "resource") checkContents(block["resource"], `${path}.resource`);
  else if (Object.hasOwn(textsOfBlock, type)) checkTexts(block, path, textsOfBlock[type]);
};

const checkContents: Check = (contents, path) => {
  checkTexts(contents, path);
  const given = ["mimeType", "text", "blob"].filter((name) => contents[name] !== undefined);
  checkTexts(contents, path, ["uri", ...given]);
  demand("text" in contents || "blob" in contents, `${path} has neither text nor blob.`);
};

export function demand(isSo: boolean, problem: string): asserts isSo {
  if (!isSo) throw new TypeError(problem);
}
