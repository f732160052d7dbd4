// How a call ended, in MCP's words.
import { isJsonObject, markReplay, outcomeMarks, parseJsonObject, textOf } from "../../wire/index.ts";
import type { Json, JsonObject, Outcome, Tool } from "../../wire/index.ts";
import { batchesEnd } from "./revisions.ts";
import { RpcError } from "./rpc.ts";

/** The result of a tool's call; throws where there is no such tool. */
export function resultOf(outcome: Outcome, deepest: number): JsonObject {
  const { payload, code, message = "", replay } = outcome;
  const marks = outcomeMarks(outcome);
  if (payload !== undefined) {
    const result = parseJsonObject(textOf(payload), deepest);
    if (!result) throw new RpcError("internal-error", "The page's answer is not an MCP result.");
    return markReplay(result, replay);
  }
  if (code === "tool-not-found") throw new RpcError("invalid-params", message, marks);
  return { content: [{ type: "text", text: message }], isError: true, _meta: marks };
}

/** Before 2026-07-28 only an object could be structured content. */
export function olderResult(result: JsonObject): JsonObject {
  const { structuredContent: content } = result;
  if (content === undefined || isJsonObject(content)) return result;
  return { ...result, structuredContent: { result: content } };
}

/** Before 2026-07-28 an output schema could only be that of an object, and before 2025-06-18 there was none. */
export function olderTool({ outputSchema, ...tool }: Tool, version: string): Json {
  const isOfObject = outputSchema?.["type"] === "object" && version >= batchesEnd;
  return (isOfObject ? { ...tool, outputSchema } : tool) as unknown as Json;
}
