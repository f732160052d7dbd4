// How a call ended, in MCP's words.
import type { CallRequest } from "../switchboard/index.ts";
import { isJsonObject, markReplay, outcomeMarks, parseJsonObject, textOf } from "../wire/index.ts";
import type { Json, JsonObject, Outcome } from "../wire/index.ts";
import type { Exchange } from "./engine.ts";
import { RpcError } from "./rpc.ts";

/** Answers a request with how its call ended. */
export function replyWith(outcome: Outcome, call: CallRequest, { peer, reply }: Exchange): void {
  const { payload, inputRequired, replay } = outcome;
  const isPlain = payload !== undefined && !inputRequired && !replay;
  if (isPlain && reply.payload?.(payload, call)) return;
  const result = resultOf(outcome, call, peer.limits.jsonDepth);
  if (result instanceof RpcError) return reply.error(result);
  reply.result(peer.shape(result, call));
}

/** The result of a call, or MCP's error where the call came to nothing and is not a tool's. */
export function resultOf(outcome: Outcome, { method, name }: CallRequest, deepest: number): JsonObject | RpcError {
  const { payload, replay, code, message = "The call failed." } = outcome;
  const marks = outcomeMarks(outcome);
  if (payload !== undefined) {
    const parsed = parseJsonObject(textOf(payload), deepest);
    if (!parsed) return new RpcError("internal-error", "The page's answer is not an MCP result.");
    const { resultType: _, ...result } = parsed;
    return markReplay(result, replay);
  }
  if (method === "tools/call" && code !== "tool-not-found") {
    return { content: [{ type: "text", text: message }], isError: true, _meta: marks };
  }
  if (code === "offer-not-found") return new RpcError("invalid-params", message, { uri: name });
  const isTheirs = theirMistakes.includes(code);
  return new RpcError(isTheirs ? "invalid-params" : "internal-error", message, marks);
}

const theirMistakes: readonly (string | undefined)[] = [
  "tool-not-found",
  "input-invalid",
  "arguments-malformed",
  "tool-ambiguous",
];

/** Some clients read nothing but texts: what is structured and no object has one beside it. */
export function withText(result: JsonObject): JsonObject {
  const { structuredContent: value, content } = result;
  const blocks = Array.isArray(content) ? (content as readonly Json[]) : [];
  const hasText = blocks.some((block) => isJsonObject(block) && block["type"] === "text");
  if (value === undefined || isJsonObject(value) || hasText) return result;
  return { ...result, content: [...blocks, { type: "text", text: JSON.stringify(value) }] };
}

/** Before 2026-07-28 only an object could be structured content. */
export function olderResult(result: JsonObject, isWrapped = false): JsonObject {
  const { structuredContent: value } = result;
  if (value === undefined || (isJsonObject(value) && !isWrapped)) return result;
  return { ...result, structuredContent: { result: value } };
}
