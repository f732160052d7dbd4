import { isDeepStrictEqual } from "node:util";
import { answerTo, argumentsFor } from "../pages/answers.ts";
import type { SizeName, ToolAnswer } from "../pages/answers.ts";
import type { HttpRequest } from "./http-connection.ts";

const patience = 15_000;

/** Makes a request until a page answers it with what the tool answers; throws when none does in time. */
export async function checkAnswer({ port, path, headers, body }: HttpRequest, size: SizeName): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status === 200 && isRight(text, size)) return;
    if (performance.now() > end) throw new Error(`No page gave the answer: ${response.status} ${text.slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Some answers are the result, some have it beside other things, some results hold what a protocol adds, and for a
 * terminal's program the result is its text.
 */
function isRight(text: string, size: SizeName): boolean {
  // Before there is a page, an MCP server may answer with a stream of events.
  if (!text.startsWith("{")) return false;
  const answer = JSON.parse(text) as Partial<ToolAnswer> & {
    readonly result?: Partial<ToolAnswer> | string;
    readonly structured?: ToolAnswer["structuredContent"];
  };
  const { result = answer, structured } = answer;
  if (typeof result === "object") return isToolAnswer(result, size);
  const given = { content: [{ type: "text", text: result }] } as const;
  return isToolAnswer(structured ? { ...given, structuredContent: structured } : given, size);
}

/** Whether a result contains the tool's answer, ignoring other fields. */
export function isToolAnswer({ content, structuredContent }: Partial<ToolAnswer>, size: SizeName): boolean {
  const right = answerTo(argumentsFor(size));
  return isDeepStrictEqual([content, structuredContent], [right.content, right.structuredContent]);
}
