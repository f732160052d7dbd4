import type { CallToolResult } from "pagewire/wire";

/** The answer of a tool that could run and will not: an error for the agent, not a fault of the page. */
export function refusal(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}
