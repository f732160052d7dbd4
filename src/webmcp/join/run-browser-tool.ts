import { findForm, callForm } from "./form-calls.ts";
import type { NamedTool } from "./name-tools.ts";
import type { ListedTool } from "./read-model-context.ts";
import { isJsonObject, parseJsonObject, messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { deepestText, objectInText } from "../browser-result.ts";

/** The browser's error for any handler that threw. */
const saysNothing = /invocation failed|promise was rejected|unknown transient reason/;

/** The error of a call that the browser rejected. `now` is missing if the browser lists the tool no more. */
function browserToolFailure(name: string, error: unknown, now: ListedTool | undefined): Error {
  const said = messageOf(error);
  if (!now) {
    return new Error(
      `The tool "${name}" was taken away during the call, or its frame was closed or led to another page. It may have run.`,
    );
  }
  const kind = (Object(error) as { readonly name?: unknown }).name;
  if (kind === "DataError") return new Error(`The browser refused the arguments: ${said}`, { cause: error });
  if (kind !== "UnknownError" || !saysNothing.test(said)) return new Error(said, { cause: error });
  return new Error(
    `The tool "${name}" failed. The browser does not tell why: its console has the reason. ` +
      `A tool that returns {isError: true, content} can say it.`,
    { cause: error },
  );
}

export interface BrowserCall {
  readonly input: object;
  readonly signal: AbortSignal;
  /** The browser's listing of a tool now. */
  find(listed: ListedTool): Promise<ListedTool | undefined>;
}

/** Some polyfills want the input as JSON, and the browser as an object: this one is its own JSON where text is wanted. */
export function readableAsJson(input: object): object {
  return Object.defineProperty({ ...input }, Symbol.toPrimitive, { value: () => JSON.stringify(input) });
}

/** Makes the browser run a tool; returns the result for the toolbox. */
export async function runBrowserTool({ name, listed }: NamedTool, call: BrowserCall): Promise<unknown> {
  const { signal, find } = call;
  const input = readableAsJson(call.input);
  const execute = async (ending: AbortSignal) => listed.context.executeTool(listed.given, input, { signal: ending });
  try {
    signal.throwIfAborted();
    const given = findForm(listed) ? await callForm(listed, signal, execute) : await execute(signal);
    return browserToolAnswer(name, given);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw browserToolFailure(name, error, await find(listed));
  }
}

/**
 * Converts the browser's result: text, or null if the tool navigated. The text may be an MCP result, which is passed
 * on, or a JSON object, which becomes structured content.
 */
function browserToolAnswer(name: string, given: unknown): unknown {
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

/** A result that asks for input is refused: the answers could not reach the tool, which may be of another origin. */
function isMcpResult({ content, resultType = "complete" }: JsonObject): boolean {
  return (
    resultType === "complete" &&
    Array.isArray(content) &&
    content.every((block) => isJsonObject(block) && typeof block["type"] === "string")
  );
}
