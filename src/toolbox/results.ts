// What a handler answered, as MCP's JSON. It is checked as the JSON that it becomes.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { CallToolResult, ErrorCode, Json, JsonObject } from "../wire/index.ts";
import type { Result } from "./run-call.ts";
import { toData } from "./to-data.ts";
import type { Sending } from "./to-json.ts";
import type { CallOutcome } from "./toolbox.ts";

/** Compares an answer with its tool's output schema; gives the value to go on with. */
export type AcceptAnswer = (value: unknown, sending: Sending) => Promise<unknown>;

/** Makes an MCP result of whatever a tool's handler answered; throws where that cannot be sent as it is. */
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
  // Before 2026 MCP knew only objects there, so anything else needs a schema that announces it.
  const structured = accept || json.startsWith("{") ? `,"structuredContent":${json}` : "";
  return { payload: `{"content":[{"type":"text","text":${text}}]${structured}}`, isError: false };
}

/** The result of a tool that failed. */
export function toolError(code: ErrorCode, text: string): CallOutcome {
  const result = { content: [{ type: "text", text }], isError: true, _meta: { "pagewire/code": code } };
  return { kind: "result", payload: JSON.stringify(result), isError: true };
}

/**
 * An object with other fields is a value of the page's own, such as an editor's document, which has `content` too.
 * With `isError` it is a result, whatever a later version of MCP adds to one.
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

/** Throws where a part of a result, which is at this path, has not the form that MCP gives it. */
type Check = (part: Json | undefined, path: string) => void;

/** Throws where a result has not the form that its kind has. */
export type CheckResult = (result: JsonObject) => void;

/** By kind of a block: the fields that must be texts. Blocks of other kinds are passed on as they are. */
const textsOfBlock: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource_link: ["uri", "name"],
};

/** JSON text of an MCP result; throws where it cannot be sent or is malformed, and says where. */
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
    // Whoever speaks a version of MCP that has the word says it of every result; the others do not know it.
    return JSON.stringify(resultType === "complete" ? rest : data);
  } catch (error) {
    throw new PagewireError(sending.code, `${sending.what} cannot be sent: ${(error as Error).message}`);
  }
}

/** Checks each part of a list, where the result has one of this name. */
export function checkEach(name: string, lists: JsonObject, check: Check): void {
  const list = lists[name];
  if (Array.isArray(list)) for (let at = 0; at < list.length; at++) check(list[at] as Json, `$.${name}[${at}]`);
}

/** Throws where a part is no object, or a field of it no text. */
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
