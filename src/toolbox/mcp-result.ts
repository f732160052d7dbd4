// What MCP asks of a result, whatever it is the result of. It is checked as the JSON that it becomes.
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { Json, JsonObject } from "../wire/index.ts";
import { toData } from "./to-data.ts";
import type { Sending } from "./to-json.ts";

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
    if (resultType === "input_required") checkInputRequired(rest);
    else demand(resultType === undefined, "$.resultType is neither complete nor input_required.");
    return JSON.stringify(data);
  } catch (error) {
    throw new PagewireError(sending.code, `${sending.what} cannot be sent: ${(error as Error).message}`);
  }
}

function checkInputRequired(result: JsonObject): void {
  const { inputRequests = {}, requestState = "" } = result;
  demand(typeof requestState === "string", "$.requestState is not a text.");
  checkObject(inputRequests, "$.inputRequests", (requests, path) => {
    const entries = Object.entries(requests);
    demand(entries.length > 0 || "requestState" in result, "$ has neither inputRequests nor requestState.");
    for (const [key, request] of entries) checkObject(request, `${path}.${key}`, checkRequest);
  });
}

const checkRequest: Check = ({ method, params = method === "roots/list" && {} }, path) => {
  demand(typeof method === "string", `${path}.method is not a text.`);
  demand(isJsonObject(params), `${path}.params is not an object.`);
};

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
