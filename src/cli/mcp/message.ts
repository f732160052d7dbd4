// JSON-RPC as MCP uses it. A message is inspected, but forwarded as its original text.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

/** The lists with change notifications. */
export const listKinds = ["tools", "prompts", "resources"] as const;

export type ListKind = (typeof listKinds)[number];

interface MissedChanges {
  /** Whether the client is subscribed to changes of this list. */
  isSubscribed(list: ListKind): boolean;
  /** The resources that the client is subscribed to. */
  readonly resources: readonly string[];
  /** The `_meta` of each notification. */
  readonly meta?: JsonObject;
}

/** The notifications, as text. */
export function missedChanges({ isSubscribed: hearsOf, resources, meta }: MissedChanges): readonly string[] {
  const params = meta === undefined ? undefined : { _meta: meta };
  return [
    ...listKinds.filter(hearsOf).map((list) => notificationText(`notifications/${list}/list_changed`, params)),
    ...resources.map((uri) => notificationText("notifications/resources/updated", { uri, ...params })),
  ];
}

/** An id in a form that is certainly valid JSON; any other form is not recognized. */
const id = String.raw`"id"\s*:\s*(?<id>"[^"\\\x00-\x1f]*"|-?(?:0|[1-9]\d*))`;
const version = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
/** Anchored at the start of the message and limited to known members, so that no string can match. */
const beginning = new RegExp(String.raw`^\s*\{\s*(?:(?:${version}|${id})\s*,\s*)*"method"\s*:`, "s");
/** The last brace closes the message itself, so the members right before it are the message's own. */
const ending = new RegExp(String.raw`[,{]\s*${id}\s*(?:,\s*${version}\s*)?\}\s*$`, "s");

/** Finds the id of a request from its beginning and end alone; undefined where they do not contain it. */
export function idOfLongRequest(begin: string, end: string): RequestId | undefined {
  const first = beginning.exec(begin);
  if (first === null) return undefined;
  const text = first.groups?.["id"] ?? ending.exec(end)?.groups?.["id"];
  return text === undefined ? undefined : (JSON.parse(text) as RequestId);
}

export type RequestId = string | number;

export interface RequestMessage {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly text: string;
}

export interface NotificationMessage {
  readonly kind: "notification";
  readonly method: string;
  readonly params: JsonObject;
  readonly text: string;
}

export interface AnswerMessage {
  readonly kind: "answer";
  readonly id: RequestId;
  /** Missing where the answer is an error. */
  readonly result?: JsonObject;
  readonly text: string;
}

/** An invalid message, with the JSON-RPC error for it. */
export interface RefusedMessage {
  readonly kind: "refused";
  readonly id: RequestId | null;
  readonly code: number;
  readonly reason: string;
}

export type Message = RequestMessage | NotificationMessage | AnswerMessage | RefusedMessage;

export const parseError = -32_700;
export const invalidRequest = -32_600;

/** Reads one message; never throws. */
export function parseMessage(text: string): Message {
  const value = parse(text);
  if (value === undefined) return refused(null, parseError, "This is not JSON. Write one JSON-RPC message a line.");
  if (Array.isArray(value)) {
    return refused(null, invalidRequest, "MCP has no JSON-RPC batches. Write each message on a line of its own.");
  }
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") {
    return refused(idOf(value) ?? null, invalidRequest, 'This is not a JSON-RPC message: "jsonrpc" must be "2.0".');
  }
  return parseObject(value, text);
}

function parseObject(value: JsonObject, text: string): Message {
  const { id: givenId, method } = value;
  const id = idOf(value);
  const params = objectOf(value["params"]);
  if (typeof method === "string") {
    if (givenId === undefined) return { kind: "notification", method, params, text };
    if (id !== undefined) return { kind: "request", id, method, params, text };
    return refused(null, invalidRequest, "The id of a request must be a string or a number.");
  }
  if (id !== undefined && (value["result"] !== undefined) !== (value["error"] !== undefined)) {
    const { result } = value;
    return { kind: "answer", id, text, ...(isJsonObject(result) ? { result } : {}) };
  }
  return refused(id ?? null, invalidRequest, "This is neither a request, nor a notification, nor an answer.");
}

/** The value, if it is an object, else an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function notificationText(method: string, params?: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
}

/** A value of a request's or a notification's `_meta`. */
export function metaOf({ params }: { readonly params: JsonObject }, name: string): Json | undefined {
  return objectOf(params["_meta"])[name];
}

function idOf(value: unknown): RequestId | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id } = value;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports that it is no JSON.
    return undefined;
  }
}

function refused(id: RequestId | null, code: number, reason: string): RefusedMessage {
  return { kind: "refused", id, code, reason };
}
