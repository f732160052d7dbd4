// What a handler answered, as MCP's JSON. It is checked as the JSON that it becomes.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { CallToolResult, ErrorCode, Json, JsonObject } from "../wire/index.ts";
import { acceptValue } from "./accept-value.ts";
import type { LoadValidator } from "./validate-json.ts";
import type { Result } from "./run-call.ts";
import type { Schema } from "./schema.ts";
import { toData } from "./to-data.ts";
import type { Sending } from "./to-json.ts";
import type { CallOutcome } from "./toolbox.ts";

/** What a tool's answers are checked with. */
interface Output {
  readonly tool: string;
  readonly output: Schema;
  readonly loadValidator: LoadValidator;
}

/** Makes an MCP result of whatever a tool's handler answered; throws where that cannot be sent as it is. */
export async function toolResult(answer: unknown, sending: Sending, checked: Output | undefined): Promise<Result> {
  if (isCallToolResult(answer)) {
    const isError = answer.isError === true;
    if (!checked || isError) return { payload: mcpResult(answer, sending), isError };
    const structuredContent = await accept(answer.structuredContent, sending, checked);
    return { payload: mcpResult({ ...answer, structuredContent }, sending), isError };
  }
  if (answer === undefined && !checked) return { payload: '{"content":[]}', isError: false };
  const value = checked ? await accept(answer, sending, checked) : answer;
  const json = JSON.stringify(toData(value, sending));
  const text = typeof value === "string" ? json : JSON.stringify(json);
  // Before 2026 MCP knew only objects there, so anything else needs a schema that announces it.
  const structured = checked || json.startsWith("{") ? `,"structuredContent":${json}` : "";
  return { payload: `{"content":[{"type":"text","text":${text}}]${structured}}`, isError: false };
}

/** Compares an answer with its tool's output schema; gives the value to go on with. */
function accept(value: unknown, sending: Sending, { tool, output, loadValidator }: Output): Promise<unknown> {
  const seen = output.standard ? value : toData(value, sending);
  return acceptValue(output, seen, { tool, side: "output", loadValidator });
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
  return (
    isJsonObject(answer) &&
    Array.isArray(answer["content"]) &&
    answer["content"].every((block) => isJsonObject(block) && typeof block["type"] === "string") &&
    (typeof answer["isError"] === "boolean" ||
      Object.keys(answer).every((key) => /^(content|structuredContent|isError|_meta|resultType)$/.test(key)))
  );
}

/** Throws where a part of a result, which is at this path, has not the form that MCP gives it. */
type Check = (part: JsonObject, path: string) => void;

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
    checkResult(rest);
    checkMore?.(rest);
    // Whoever speaks a version of MCP that has the word says it of every result; the others do not know it.
    if (resultType === "complete") return JSON.stringify(rest);
    demand(
      resultType === undefined || resultType === "input_required",
      "$.resultType is neither complete nor input_required.",
    );
    return JSON.stringify(data);
  } catch (error) {
    throw new PagewireError(sending.code, `${sending.what} cannot be sent: ${(error as Error).message}`);
  }
}

function checkResult({ isError = false, _meta = {}, description = "", ...lists }: JsonObject): void {
  demand(typeof isError === "boolean", "$.isError is neither true nor false.");
  demand(isJsonObject(_meta), "$._meta is not an object.");
  demand(typeof description === "string", "$.description is not a text.");
  checkEach("content", lists, checkBlock);
  checkEach("contents", lists, checkContents);
}

/** Checks each part of a list, where the result has one of this name. */
export function checkEach(name: string, lists: JsonObject, check: Check): void {
  const list = lists[name];
  if (!Array.isArray(list)) return;
  for (const [index, part] of list.entries()) checkObject(part, `$.${name}[${index}]`, check);
}

export function checkObject(part: Json | undefined, path: string, check: Check): void {
  demand(isJsonObject(part), `${path} is not an object.`);
  check(part, path);
}

export const checkBlock: Check = (block, path) => {
  checkTexts(["type"], block, path);
  const type = block["type"] as string;
  if (type === "resource") checkObject(block["resource"], `${path}.resource`, checkContents);
  else if (Object.hasOwn(textsOfBlock, type)) checkTexts(textsOfBlock[type] ?? [], block, path);
};

const checkContents: Check = (contents, path) => {
  const given = ["mimeType", "text", "blob"].filter((name) => contents[name] !== undefined);
  checkTexts(["uri", ...given], contents, path);
  demand("text" in contents || "blob" in contents, `${path} has neither text nor blob.`);
};

function checkTexts(names: readonly string[], part: JsonObject, path: string): void {
  for (const name of names) demand(typeof part[name] === "string", `${path}.${name} is not a text.`);
}

export function demand(isSo: boolean, problem: string): asserts isSo {
  if (!isSo) throw new TypeError(problem);
}
