// How a call ended, in MCP's words.
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { CallToolResult, Result } from "@modelcontextprotocol/server";
import type { CallRequest } from "../../../switchboard/index.ts";
import { PagewireError, markReplay, outcomeMarks, parseJsonObject, textOf } from "../../../wire/index.ts";
import type { JsonObject, Limits, Outcome } from "../../../wire/index.ts";

/** The result of a call; throws MCP's error where the call came to nothing and is not a tool's. */
export function resultOf(outcome: Outcome, { method, name }: CallRequest, { jsonDepth }: Limits): Result {
  const { payload, replay } = outcome;
  if (payload !== undefined) {
    const { resultType: _, ...result } = parseResult(textOf(payload), jsonDepth);
    return markReplay(result, replay);
  }
  if (method === "tools/call" && outcome.code !== "tool-not-found") return toolFailure(outcome);
  throw protocolError(outcome, name);
}

/** The result of a tool that gave none: what happened, and what to do next. */
function toolFailure(outcome: Outcome): CallToolResult {
  return { content: [{ type: "text", text: outcome.message ?? "" }], isError: true, _meta: outcomeMarks(outcome) };
}

function protocolError(outcome: Outcome, name: string): ProtocolError {
  const { code, message = "The call failed." } = outcome;
  if (code === "offer-not-found") return new ResourceNotFoundError(name, message);
  const isTheirs = code === "tool-not-found" || code === "input-invalid" || code === "arguments-malformed";
  const kind =
    isTheirs || code === "tool-ambiguous" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(kind, message, outcomeMarks(outcome));
}

function parseResult(text: string, deepest: number): JsonObject {
  const result = parseJsonObject(text, deepest);
  if (result) return result;
  throw new ProtocolError(ProtocolErrorCode.InternalError, "The page's answer is not an MCP result.");
}

/** Runs something of the hub's own, and turns its named errors into MCP's. */
export function inMcpWords<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (!PagewireError.isInstance(error)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { "pagewire/code": error.code });
  }
}
