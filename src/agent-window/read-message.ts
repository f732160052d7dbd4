// Parses the messages of the other window: each becomes a known message or is refused by name. Its fields may be in
// `payload` or beside `type`. Its sender and origin were checked before.
import { PagewireError, identifierPattern, isErrorCode, isJsonObject, shortMessage } from "../wire/index.ts";
import type { ErrorCode, TraceContext } from "../wire/index.ts";
import { boundedJson, messageBounds as bounds } from "./bounded-json.ts";
import { argumentsMalformed } from "./call-errors.ts";
import type { Envelope, FromAgent, FromParent, ToolResponse } from "./messages.ts";
import { readTools } from "./read-tools.ts";

/**
 * The result of parsing a posted message.
 * - `message`: valid, with the problems of dropped parts, if any.
 * - `refused`: an invalid message of this protocol; `callId` is the id of its call, if it has one.
 * - `foreign`: of another protocol, or of a newer version.
 */
export type Reading<Messages> =
  | { readonly kind: "message"; readonly message: Envelope<Messages>; readonly problems: readonly PagewireError[] }
  | { readonly kind: "refused"; readonly type: string; readonly callId?: string; readonly error: PagewireError }
  | { readonly kind: "foreign" };

type Fields = Readonly<Record<string, unknown>>;
type Payloads<Messages> = {
  readonly [Type in keyof Messages]: (fields: Fields, problems: PagewireError[]) => Messages[Type];
};

/** Max characters of a page's title. */
const longestTitle = 200;

const fromParent: Payloads<FromParent> = {
  tools_list({ tools }, problems) {
    if (!Array.isArray(tools)) throw wrong("tools", "a list");
    const read = readTools(tools);
    problems.push(...read.problems);
    return { tools: read.tools };
  },
  inject_message({ message, autoSend }) {
    if (typeof message !== "string") throw wrong("message", "a text");
    if (message.length > bounds.characters) throw tooLarge("The injected message", "frame-too-large");
    return { message, autoSend: autoSend === true };
  },
  tool_response: readResponse,
  ping: readTime,
  parent_port: ({ nonce, batches, title }) => ({
    nonce: identifier("nonce", nonce),
    ...(batches === true && { batches }),
    ...(typeof title === "string" && { title: title.slice(0, longestTitle) }),
  }),
  tool_progress({ call_id, progress, total, message }) {
    if (!isNumber(progress)) throw wrong("progress", "a number");
    return {
      call_id: identifier("call_id", call_id),
      progress,
      ...(isNumber(total) && { total }),
      ...(typeof message === "string" && { message: shortMessage(message) }),
    };
  },
  parent_bye: () => ({}),
};

const fromAgent: Payloads<FromAgent> = {
  tool_call({ call_id, tool_name, arguments: given = {}, json, until, again, takes_json, trace }) {
    if (typeof tool_name !== "string" || tool_name.length > 128) throw wrong("tool_name", "the name of a tool");
    return {
      call_id: identifier("call_id", call_id),
      tool_name,
      ...readArguments(tool_name, given, json),
      ...(isNumber(until) && { until }),
      ...(again === true && { again }),
      ...(takes_json === true && { takes_json }),
      // Validated by the module that runs the call.
      ...(isJsonObject(trace) && { trace: trace as unknown as TraceContext }),
    };
  },
  pong: readTime,
  agent_ready({ nonce, pagewire, page, batches }) {
    if (pagewire !== 1) throw wrong("pagewire", "1");
    return {
      nonce: identifier("nonce", nonce),
      pagewire,
      ...(isIdentifier(page) && { page }),
      ...(batches === true && { batches }),
    };
  },
  tool_cancel: ({ call_id }) => ({ call_id: identifier("call_id", call_id) }),
  parent_replaced: () => ({}),
  agent_bye: () => ({}),
};

/** Parses a message of a parent page. */
export function readFromParent(data: unknown): Reading<FromParent> {
  return read(fromParent, data);
}

/** Parses a message of the agent's window. */
export function readFromAgent(data: unknown): Reading<FromAgent> {
  return read(fromAgent, data);
}

function read<Messages>(payloads: Payloads<Messages>, data: unknown): Reading<Messages> {
  const type = isJsonObject(data) ? data["type"] : undefined;
  if (!isJsonObject(data) || typeof type !== "string" || !Object.hasOwn(payloads, type)) return { kind: "foreign" };
  const fields: Fields = isJsonObject(data["payload"]) ? data["payload"] : data;
  const problems: PagewireError[] = [];
  try {
    const payload = payloads[type as keyof Messages](fields, problems);
    return { kind: "message", message: { type, payload } as Envelope<Messages>, problems };
  } catch (error) {
    if (!PagewireError.isInstance(error)) throw error;
    const { call_id } = fields;
    const refused = new PagewireError(error.code, `A ${type} message is refused: ${error.message}`);
    return { kind: "refused", type, ...(isIdentifier(call_id) && { callId: call_id }), error: refused };
  }
}

/** Arguments as text are parsed by the module that runs the call. */
function readArguments(
  tool: string,
  given: unknown,
  json: unknown,
): Pick<FromAgent["tool_call"], "arguments" | "json"> {
  if (typeof json === "string" && json.length <= bounds.characters) return { json };
  const read = json === undefined && boundedJson(given, bounds);
  if (!read || !("value" in read) || !isJsonObject(read.value)) throw argumentsMalformed(tool);
  return { arguments: read.value };
}

function readResponse({ call_id, success, result, json, error, code }: Fields): ToolResponse {
  const id = identifier("call_id", call_id);
  if (typeof success !== "boolean") throw wrong("success", "true or false");
  if (success && typeof json === "string") {
    if (json.length > bounds.characters) throw tooLarge("The result", "result-too-large");
    return { call_id: id, success, json };
  }
  if (success) return { call_id: id, success, result: readResult(result) };
  // A handler may throw a value without a message.
  const text = typeof error === "string" && error !== "" ? error : "The tool failed and did not say why.";
  return { call_id: id, success, error: shortMessage(text), ...(isErrorCode(code) && { code }) };
}

function readResult(result: unknown): unknown {
  if (result === undefined) return undefined;
  const read = boundedJson(result, bounds);
  if ("value" in read) return read.value;
  if (read.wrong === "too-large") throw tooLarge("The result", "result-too-large");
  const why = read.wrong === "too-deep" ? `It nests deeper than ${bounds.depth}.` : "JSON cannot say it.";
  throw new PagewireError("result-unsendable", `The result cannot be taken over. ${why}`);
}

function readTime({ timestamp }: Fields): { readonly timestamp?: number } {
  return isNumber(timestamp) ? { timestamp } : {};
}

function identifier(field: string, value: unknown): string {
  if (isIdentifier(value)) return value;
  throw wrong(field, "1 to 128 printable characters without spaces");
}

function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && identifierPattern.test(value);
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function wrong(field: string, expected: string): PagewireError {
  return new PagewireError("frame-malformed", `The field "${field}" must be ${expected}.`);
}

function tooLarge(what: string, code: ErrorCode): PagewireError {
  return new PagewireError(code, `${what} is larger than ${bounds.characters} characters.`);
}
