import { identifierPattern, isJsonObject, pageLimits, parseJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";

/** A tool of the parent page that the hub's model calls. */
export interface HubCall {
  readonly type: "tool_call";
  /** The hub's id of it: the same when it is sent once more. */
  readonly id: string;
  readonly name: string;
  /** Whose tool it is; undefined where the hub does not say. */
  readonly origin: string | undefined;
  readonly arguments: JsonObject;
  /** The model's id of it, by which the conversation shows it. */
  readonly toolCallId: string;
  /** Milliseconds until the hub gives it up. */
  readonly left: number | undefined;
  /** Whether the hub sent it before, perhaps to another window. */
  readonly again: boolean;
  /** How many bytes the hub takes as an answer. */
  readonly mostBytes: number;
}

export type HubMessage = HubCall | { readonly type: "tool_cancel"; readonly id: string };

/** Reads what the hub says on a conversation's socket; undefined when it is nothing that this version knows. */
export function readHubMessage(text: string): HubMessage | undefined {
  const message = parseJsonObject(text, pageLimits.jsonDepth);
  if (!message) return undefined;
  const {
    type,
    request_id: id,
    tool_name: name,
    arguments: given = {},
    tool_call_id: toolCallId = id,
    origin,
    left,
    again,
    answer_bytes: mostBytes,
  } = message;
  if (typeof id !== "string" || !identifierPattern.test(id)) return undefined;
  if (type === "tool_cancel") return { type, id };
  if (type !== "tool_call" || typeof name !== "string" || typeof toolCallId !== "string") return undefined;
  if (!isJsonObject(given)) return undefined;
  return {
    type,
    id,
    name,
    origin: typeof origin === "string" ? origin : undefined,
    arguments: given,
    toolCallId,
    left: typeof left === "number" && left >= 0 ? left : undefined,
    again: again === true,
    mostBytes: typeof mostBytes === "number" ? mostBytes : pageLimits.frameBytes,
  };
}
