// Parses the hub's answers into known types. Parts from a page are passed on unchanged.
import { isErrorCode, isJsonObject, outcomeNames, parseJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject, OutcomeName } from "../../wire/index.ts";
import type { CallProgress } from "../hub-client.ts";
import { DelegateError } from "./delegate.ts";
import type { DelegateAction, DelegateActions, DelegateResult } from "./delegate.ts";

/** One line of a stream; undefined for a line of an unknown kind. */
export type StreamLine =
  | { readonly type: "chunk"; readonly delta: string }
  | { readonly type: "progress"; readonly progress: CallProgress }
  | { readonly type: "done"; readonly result: DelegateResult }
  | { readonly type: "error"; readonly error: DelegateError }
  | undefined;

/** The result in an answer; undefined if there is none. */
export function readResult(answer: JsonObject | undefined): DelegateResult | undefined {
  if (answer === undefined) return undefined;
  const { cmd: _cmd, id: _id, replay, notSaved, ...fields } = answer;
  const marks = { ...(replay === true ? { replay } : {}), ...(notSaved === true ? { notSaved } : {}) };
  const { status, result, structured, content } = fields;
  if (status !== "ok") return { text: JSON.stringify(fields), fields, ...marks };
  if (typeof result !== "string") return undefined;
  const isListed = Array.isArray(content) && (content as readonly Json[]).every(isJsonObject);
  return {
    text: result,
    ...(structured === undefined ? {} : { structured }),
    ...(isListed ? { content: content as readonly JsonObject[] } : {}),
    ...marks,
  };
}

/** The failure in a refused request. */
export function readFailure(answer: JsonObject | undefined, retryAfter?: number): DelegateError | undefined {
  // A request that is refused before it reaches its door has the form of the hub's other doors.
  const { error } = answer ?? {};
  const { detail, ...more }: JsonObject = isJsonObject(error)
    ? { ...error, detail: error["message"] ?? "" }
    : (answer ?? {});
  return typeof detail === "string" ? failure(detail, { ...more, retryAfter }) : undefined;
}

/** Parses one line of a stream; throws if it is invalid. */
export function readLine(line: string, deepest: number): StreamLine {
  const said = parseJsonObject(line, deepest);
  switch (said?.["type"]) {
    case "chunk": {
      const { delta = "" } = said;
      return { type: "chunk", delta: typeof delta === "string" ? delta : JSON.stringify(delta) };
    }
    case "progress":
      return readProgress(said);
    case "done": {
      const result = readResult(isJsonObject(said["result"]) ? said["result"] : undefined);
      if (result === undefined) throw unreadable("The hub reported an end that cannot be read.");
      return { type: "done", result };
    }
    case "error": {
      const { error, ...more } = said;
      return { type: "error", error: failure(typeof error === "string" ? error : "The action failed.", more) };
    }
    default:
      if (said === undefined) throw unreadable("The hub sent a line that is no JSON object, or nests too deep.");
      return undefined;
  }
}

/** Parses the actions of a tab; undefined if there are none. */
export function readActions(answer: JsonObject | undefined): DelegateActions | undefined {
  const { browser_id: browserId, tab, actions } = answer ?? {};
  if (typeof browserId !== "string" || !isJsonObject(tab) || !Array.isArray(actions)) return undefined;
  const { id, title, origin, url, app } = tab;
  const words = { id, title, origin, url, app };
  const isTab = Object.values(words).every((text) => typeof text === "string");
  if (!isTab || !(actions as readonly Json[]).every(isAction)) return undefined;
  return {
    browserId,
    tab: words as DelegateActions["tab"],
    actions: actions as unknown as readonly DelegateAction[],
  };
}

/** The tab may have run it, but the answer cannot be parsed. */
export function unreadable(message: string): DelegateError {
  return new DelegateError("frame-malformed", message, { outcome: "outcome-unknown", ran: "maybe" });
}

function readProgress({ progress, total, message }: JsonObject): StreamLine {
  if (typeof progress !== "number") return undefined;
  const [most, text] = [
    typeof total === "number" ? total : undefined,
    typeof message === "string" ? message : undefined,
  ];
  return { type: "progress", progress: { progress, total: most, message: text } };
}

type FailureWords = { readonly [Name in "code" | "outcome" | "ran" | "message" | "retryAfter" | "notSaved"]?: unknown };

function failure(detail: string, words: FailureWords): DelegateError {
  const { code, outcome, ran, message, retryAfter, notSaved } = words;
  // Besides the fields for other vendors' programs there may be the hub's own message, which has advice.
  const text = typeof message === "string" && message !== "" ? message : detail;
  return new DelegateError(isErrorCode(code) ? code : "internal-error", text, {
    outcome: outcomeNames.includes(outcome as OutcomeName) ? (outcome as OutcomeName) : undefined,
    ran: ran === "yes" || ran === "no" ? ran : "maybe",
    ...(typeof retryAfter === "number" ? { retryAfter } : {}),
    ...(notSaved === true ? { notSaved } : {}),
  });
}

function isAction(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const { name, title = "", description = "", inputSchema, annotations = {} } = value;
  const isTold = [name, title, description].every((text) => typeof text === "string");
  return isTold && isJsonObject(inputSchema) && isJsonObject(annotations);
}
