// How a call ended, in MCP's words.
import { isJsonObject, parseJsonObject, textOf } from "../../wire/index.ts";
import type { Json, JsonObject, Outcome, Tool } from "../../wire/index.ts";
import { RpcError } from "./rpc.ts";

/** The result of a tool's call; throws where there is no such tool. */
export function resultOf(outcome: Outcome, deepest: number): JsonObject {
  const { payload, code, message = "" } = outcome;
  const marks = marksOf(outcome);
  if (payload !== undefined) {
    const result = parseJsonObject(textOf(payload), deepest);
    if (!result) throw new RpcError("internal-error", "The page's answer is not an MCP result.");
    return outcome.replay ? { ...result, _meta: { ...metaOf(result), ...replayMark } } : result;
  }
  if (code === "tool-not-found") throw new RpcError("invalid-params", message, marks);
  return { content: [{ type: "text", text: message }], isError: true, _meta: marks };
}

/** Says that this was given before, to the same key. */
const replayMark = { "pagewire/replay": true };

/** What a program can act on, where the text is for a model. */
function marksOf({ outcome, code, ran, retryAfter, replay }: Outcome): JsonObject {
  return {
    "pagewire/outcome": outcome,
    "pagewire/ran": ran,
    ...(code === undefined ? {} : { "pagewire/code": code }),
    ...(retryAfter === undefined ? {} : { "pagewire/retryAfter": retryAfter }),
    ...(replay ? replayMark : {}),
  };
}

function metaOf({ _meta }: JsonObject): JsonObject {
  return isJsonObject(_meta) ? _meta : {};
}

/** Before 2026-07-28 only an object could be structured content. */
export function olderResult(result: JsonObject): JsonObject {
  const { structuredContent: content } = result;
  if (content === undefined || isJsonObject(content)) return result;
  return { ...result, structuredContent: { result: content } };
}

/** Before 2026-07-28 an output schema could only be that of an object. */
export function olderTool({ outputSchema, ...tool }: Tool): Json {
  const isOfObject = outputSchema?.["type"] === "object";
  return (isOfObject ? { ...tool, outputSchema } : tool) as unknown as Json;
}
