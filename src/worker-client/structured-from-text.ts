import type { ToolDefinition } from "../toolbox/index.ts";
import { isJsonObject } from "../wire/index.ts";

export type Execute = ToolDefinition["execute"];

/**
 * A handler of the worker-proxy's kind, which answers with JSON as text where its tool has an output schema: the text is
 * the structured content, too.
 */
export function structuredFromText(handler: Execute): Execute {
  return async (input, context) => {
    const answer: unknown = await handler(input, context);
    if (!isJsonObject(answer) || answer.isError === true || "structuredContent" in answer) return answer;
    const text = soleText(answer.content);
    const structuredContent = text === undefined ? undefined : parse(text);
    return structuredContent === undefined ? answer : { ...answer, structuredContent };
  };
}

function soleText(content: unknown): string | undefined {
  if (!Array.isArray(content) || content.length !== 1 || !isJsonObject(content[0])) return undefined;
  const { type, text } = content[0];
  return type === "text" && typeof text === "string" ? text : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Plain text: validation will report that it does not match the schema.
    return undefined;
  }
}
