import { isJsonObject } from "../wire/index.ts";
import type { CallToolResult, ErrorCode } from "../wire/index.ts";
import { mcpResult } from "./mcp-result.ts";
import type { Result } from "./run-call.ts";
import { toData } from "./to-data.ts";
import type { Sending } from "./to-json.ts";
import type { CallOutcome } from "./toolbox.ts";

/** Compares an answer with the tool's output schema. */
export type AcceptAnswer = (value: unknown) => Promise<unknown>;

/** Makes an MCP result of whatever a handler answered; throws where that cannot be sent as it is. */
export async function toolResult(answer: unknown, accept: AcceptAnswer | undefined, sending: Sending): Promise<Result> {
  if (isCallToolResult(answer)) {
    const isError = answer.isError === true;
    if (!accept || isError) return { payload: mcpResult(answer, sending), isError };
    const structuredContent = await accept(answer.structuredContent);
    return { payload: mcpResult({ ...answer, structuredContent }, sending), isError };
  }
  if (answer === undefined && !accept) return { payload: '{"content":[]}', isError: false };
  const value = accept ? await accept(answer) : answer;
  const json = JSON.stringify(toData(value, sending));
  const text = typeof value === "string" ? json : JSON.stringify(json);
  // Before 2026 MCP knew only objects there, so anything else needs a schema that announces it.
  const structured = accept || json.startsWith("{") ? `,"structuredContent":${json}` : "";
  return { payload: `{"content":[{"type":"text","text":${text}}]${structured}}`, isError: false };
}

/** The result of a tool that failed. */
export function toolError(code: ErrorCode, text: string): CallOutcome {
  const result = { content: [{ type: "text", text }], isError: true, _meta: { "pagewire/code": code } };
  return { kind: "result", payload: JSON.stringify(result), isError: true };
}

/**
 * An object with other fields is a value of the page's own, such as an editor's document, which has `content` too.
 * With `isError` it is a result, whatever a later version of MCP adds to one.
 */
function isCallToolResult(answer: unknown): answer is CallToolResult {
  return (
    isJsonObject(answer) &&
    Array.isArray(answer["content"]) &&
    answer["content"].every((block) => isJsonObject(block) && typeof block["type"] === "string") &&
    (typeof answer["isError"] === "boolean" ||
      Object.keys(answer).every((key) => /^(content|structuredContent|isError|_meta|resultType)$/.test(key)))
  );
}
