// What an agent's window says on the socket of its session.
import { PagewireError, isErrorCode, isJsonObject, parseJsonObject, shortMessage } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";

export type WindowMessage =
  | { readonly kind: "result"; readonly id: string; readonly result: Json }
  | { readonly kind: "failure"; readonly id: string; readonly error: PagewireError }
  | { readonly kind: "progress"; readonly id: string; readonly soFar: string }
  /** It takes and sends several messages in one. */
  | { readonly kind: "batches" }
  /** Of a type that this version does not know. */
  | { readonly kind: "unknown" }
  /** No message; `id` is the call that it was the answer to, where that can be told. */
  | { readonly kind: "unreadable"; readonly id: string | undefined };

/** Never throws, whatever the text. */
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

/** How far a call is, in words. */
function soFarOf({ progress, total, message }: JsonObject): string {
  const count = typeof progress === "number" ? `${progress}${typeof total === "number" ? ` of ${total}` : ""}` : "";
  return [count, typeof message === "string" ? message.slice(0, 200) : ""].filter(Boolean).join(": ");
}

/**
 * Where the answer itself cannot be parsed, the call that it is for stands at the end of the message, where no text of a page
 * comes after it; windows of earlier versions put it at the beginning.
 */
function idIn(text: string): string | undefined {
  const last = /,"type":"tool_response","request_id":"([\w-]{1,64})"\}$/.exec(text.slice(-200));
  return (last ?? /^\{"type":"tool_response","request_id":"([\w-]{1,64})"/.exec(text))?.[1];
}
