// Runs one call of a tool to its one answer. It never throws, and waits for nothing once its signal aborts.
import type { CallOutcome, ValidateJson } from "../toolbox/index.ts";
import { acceptValue, deepestPart, loadJsonSchemaValidator, toJson, unlessAborted } from "../toolbox/one-tool.ts";
import { PagewireError, isJsonObject, messageOf, pageLimits, shortMessage } from "../wire/index.ts";
import type { ErrorCode, JsonObject, OnError } from "../wire/index.ts";
import type { ToolCallContext } from "./tool-definition.ts";
import type { FoundTool } from "./tool-shelf.ts";
import type { ToolSource } from "./tool-source.ts";

/** What became of a call, as it is sent with the call's id. */
export type ToolAnswer =
  | { readonly success: true; readonly result?: unknown }
  | { readonly success: false; readonly error: string; readonly code: ErrorCode };

/** An answer, and about how many characters it takes. */
export interface Answered {
  readonly answer: ToolAnswer;
  readonly characters: number;
}

export interface ToolRun {
  readonly name: string;
  readonly args: JsonObject;
  readonly context: ToolCallContext;
  /** When it must be done, on the clock of `Date.now()`. */
  readonly deadline: number;
  /** What a toolbox's tool is told of who calls. */
  readonly agent: string;
  readonly onError: OnError;
}

/** Runs a tool, or says why not. */
export async function runTool(found: FoundTool | undefined, run: ToolRun): Promise<Answered> {
  const { name, context } = run;
  try {
    const next = `Register it with registerTool({ name: "${name}", … }).`;
    if (!found) throw new PagewireError("tool-not-found", `This page offers no tool "${name}" now. ${next}`);
    return found.kind === "toolbox" ? await runInToolbox(found.toolbox, run) : await runOwn(found, run);
  } catch (thrown) {
    const { aborted, reason } = context.signal;
    return failed(aborted ? reason : thrown);
  }
}

/** The answer to a call that ends with an error. */
export function failed(thrown: unknown): Answered {
  const code = PagewireError.isInstance(thrown) ? thrown.code : "internal-error";
  const error = shortMessage(messageOf(thrown));
  return { answer: { success: false, error, code }, characters: error.length };
}

async function runOwn({ tool, handler }: Extract<FoundTool, { kind: "own" }>, run: ToolRun): Promise<Answered> {
  const { name, context, onError } = run;
  if (!handler) {
    const next = `Set one with onToolCall("${name}", handler).`;
    throw new PagewireError("tool-not-found", `The tool "${name}" has no handler in this page yet. ${next}`);
  }
  const schema = { json: tool.parameters, standard: undefined };
  const place = { tool: name, side: "input", loadValidator } as const;
  const args = (await unlessAborted(acceptValue(schema, run.args, place), context.signal)) as JsonObject;
  let value: unknown;
  try {
    value = await unlessAborted((async () => handler(args, context))(), context.signal);
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    // The agent is given no stack, so this is where the page's author can see it.
    onError(thrown, { stage: `tool "${name}"` });
    // A handler may throw errors of other calls, whose codes say nothing of this one.
    throw new PagewireError("handler-failed", messageOf(thrown), { cause: thrown });
  }
  return sendable(name, value);
}

/** The answer that a handler's value makes: what JSON says of it, so that each agent is given the same. */
function sendable(name: string, value: unknown): Answered {
  if (value === undefined) return { answer: { success: true }, characters: 0 };
  const what = `The answer of tool "${name}"`;
  const json = toJson(value, { what, code: "result-unsendable", deepest: deepestPart(pageLimits) });
  if (json.length > pageLimits.frameBytes) {
    const message = `${what} takes ${json.length} characters, and ${pageLimits.frameBytes} is the most. Return a part of it.`;
    throw new PagewireError("result-too-large", message);
  }
  return { answer: { success: true, result: JSON.parse(json) as unknown }, characters: json.length };
}

async function runInToolbox(toolbox: ToolSource, { name, args, context, deadline, agent }: ToolRun): Promise<Answered> {
  const { callId, signal, progress } = context;
  const outcome = await toolbox.callTool(name, args, {
    callId,
    signal,
    deadline,
    progress,
    agent: { name: agent },
    asks: [],
    rounds: false,
    log() {},
    ask: (method) =>
      Promise.reject(new PagewireError("ask-unsupported", `The agent's window cannot be asked for ${method}.`)),
  });
  return answerOf(outcome, signal);
}

function answerOf(outcome: CallOutcome, signal: AbortSignal): Answered {
  if (outcome.kind === "aborted") throw signal.reason;
  if (outcome.kind !== "result") throw new PagewireError(outcome.code, outcome.message);
  const { payload, isError } = outcome;
  const result = JSON.parse(payload) as JsonObject;
  if (!isError) return { answer: { success: true, result }, characters: payload.length };
  const code = isJsonObject(result["_meta"]) ? result["_meta"]["pagewire/code"] : undefined;
  const error = shortMessage(textOf(result) || payload);
  // Where the toolbox is a server's, the code is its word; whoever reads it passes over one that is not known.
  const told = (typeof code === "string" ? code : "handler-failed") as ErrorCode;
  return { answer: { success: false, error, code: told }, characters: error.length };
}

function textOf({ content }: JsonObject): string {
  const blocks = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => (isJsonObject(block) && typeof block["text"] === "string" ? block["text"] : ""))
    .join("\n");
}

async function loadValidator(): Promise<ValidateJson> {
  try {
    return await loadJsonSchemaValidator();
  } catch (error) {
    const message = `What checks a tool's arguments could not be loaded (${messageOf(error)}). Try again.`;
    throw new PagewireError("part-missing", message, { cause: error });
  }
}
