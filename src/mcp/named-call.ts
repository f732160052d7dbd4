// Calls by name, as the parameters of requests describe them.
import type { CallRequest } from "../switchboard/index.ts";
import { identifierPattern, isJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { RpcError, wrong } from "./messages.ts";
import type { Request } from "./messages.ts";

/** The call that a `tools/call` or a `prompts/get` describes; throws where its parameters have the wrong form. */
export function namedCall(method: "tools/call" | "prompts/get", request: Request): CallRequest {
  const { params } = request;
  const { arguments: given = {} } = params;
  if (!isJsonObject(given)) throw wrong("arguments", "an object");
  return { method, name: textIn(params, "name"), arguments: request.arguments ?? jsonOf(given), key: keyOf(params) };
}

export function textIn(params: JsonObject, name: string): string {
  const { [name]: value } = params;
  if (typeof value !== "string") throw wrong(name, "a string");
  return value;
}

/** The key under which a call runs once: in the form that is proposed for MCP, or as our own mark. */
export function keyOf({ idempotencyKey, _meta }: JsonObject): string | undefined {
  const key = idempotencyKey ?? (isJsonObject(_meta) ? _meta["pagewire/idempotencyKey"] : undefined);
  if (key === undefined || (typeof key === "string" && identifierPattern.test(key))) return key;
  throw new RpcError("invalid-params", "The idempotency key must be 1 to 128 printable characters without spaces.");
}

/** A port carries more than JSON can say. */
function jsonOf(given: JsonObject): string {
  try {
    return JSON.stringify(given);
  } catch {
    throw wrong("arguments", "what JSON can say");
  }
}
