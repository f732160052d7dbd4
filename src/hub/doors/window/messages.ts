// The messages on the socket of an agent's window.
import {
  PagewireError,
  isErrorCode,
  isJsonObject,
  parseJsonObject,
  shortMessage,
  textOf,
} from "../../../wire/index.ts";
import type { FrameToPage, Json, JsonObject, Limits, Payload } from "../../../wire/index.ts";
import type { ParentCall } from "./call-rules.ts";

/** The fields of a call, without those that are known when it is sent: the seed's, then ours. */
export function callFields(call: ParentCall, { frameBytes }: Limits): string {
  const { name, origin, callId, arguments: given } = call;
  const ours = { tool_call_id: callId, origin, answer_bytes: frameBytes };
  return JSON.stringify({ tool_name: name, arguments: given, ...ours });
}

/** The message of a call with these fields. A window that does not know a repeated call must not run it again. */
export function callMessage(
  { id, left, trace }: Extract<FrameToPage, { type: "call" }>,
  fields: Payload,
  isRepeated: boolean,
): string {
  const again = isRepeated ? ',"again":true' : "";
  const inTrace = trace ? `,"trace":${JSON.stringify(trace)}` : "";
  return `{"type":"tool_call","request_id":"${id}",${textOf(fields).slice(1, -1)},"left":${left}${again}${inTrace}}`;
}

export type WindowMessage =
  | { readonly kind: "result"; readonly id: string; readonly result: Json }
  | { readonly kind: "failure"; readonly id: string; readonly error: PagewireError }
  | { readonly kind: "progress"; readonly id: string; readonly soFar: string }
  /** The window sends and accepts several messages in one. */
  | { readonly kind: "batches" }
  /** Its type is unknown to this version. */
  | { readonly kind: "unknown" }
  /** Unreadable; `id` is the call that it answers, if known. */
  | { readonly kind: "unreadable"; readonly id: string | undefined };

/** Never throws. */
export function readMessage(text: string, deepest: number): WindowMessage {
  const message = parseJsonObject(text, deepest);
  if (!message) return { kind: "unreadable", id: idIn(text) };
  const { type, request_id: id } = message;
  if (type === "hello" && message["batches"] === true) return { kind: "batches" };
  if (type !== "tool_response" && type !== "tool_progress")
    return { kind: typeof type === "string" ? "unknown" : "unreadable", id: undefined };
  if (typeof id !== "string") return { kind: "unreadable", id: undefined };
  if (type === "tool_progress") return { kind: "progress", id, soFar: soFarOf(message) };
  const { response } = message;
  if (!isJsonObject(response) || typeof response["success"] !== "boolean") return { kind: "unreadable", id };
  const { success, result = null, error, code } = response;
  if (success === true) return { kind: "result", id, result };
  const words = typeof error === "string" && error !== "" ? error : "The app's tool failed without a word.";
  const named = isErrorCode(code) ? code : "handler-failed";
  return { kind: "failure", id, error: new PagewireError(named, shortMessage(words)) };
}

/** A call's progress as text. */
function soFarOf({ progress, total, message }: JsonObject): string {
  const count = typeof progress === "number" ? `${progress}${typeof total === "number" ? ` of ${total}` : ""}` : "";
  return [count, typeof message === "string" ? message.slice(0, 200) : ""].filter(Boolean).join(": ");
}

/**
 * If the answer itself cannot be parsed: the call's id is at the end of the message, after all of the page's text.
 * Windows of earlier versions put it at the beginning.
 */
function idIn(text: string): string | undefined {
  const last = /,"type":"tool_response","request_id":"([\w-]{1,64})"\}$/.exec(text.slice(-200));
  return (last ?? /^\{"type":"tool_response","request_id":"([\w-]{1,64})"/.exec(text))?.[1];
}
