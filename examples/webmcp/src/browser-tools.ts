import type { ModelContext, RegisteredTool } from "pagewire/webmcp";
import { useEffect, useState } from "react";

declare global {
  interface Document {
    readonly modelContext: ModelContext;
  }
}

/** The browser's tools, from all sources. */
export function useBrowserTools(): readonly RegisteredTool[] {
  const [tools, setTools] = useState<readonly RegisteredTool[]>([]);
  useEffect(() => {
    const { modelContext } = document;
    const read = async () => setTools(await modelContext.getTools());
    const onChange = () => void read();
    onChange();
    modelContext.addEventListener("toolchange", onChange);
    return () => modelContext.removeEventListener("toolchange", onChange);
  }, []);
  return tools;
}

/** A block of an MCP result, as far as this page shows it. */
export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly mimeType?: string;
  readonly data?: string;
}

export interface Answer {
  readonly content: readonly Block[];
  readonly isError?: boolean;
}

/** Calls a tool as the browser's agent does: a tool of the page answers with text, one of a server with an MCP result. */
export async function invoke(tool: RegisteredTool, readInput: () => object): Promise<Answer> {
  try {
    return parseAnswer((await document.modelContext.executeTool(tool, readInput())) ?? "It led to another page.");
  } catch (error) {
    return { content: [{ type: "text", text: String(error) }], isError: true };
  }
}

function parseAnswer(text: string): Answer {
  try {
    const answer: unknown = JSON.parse(text);
    if (Array.isArray((answer as Partial<Answer> | null)?.content)) return answer as Answer;
  } catch {
    // It is text, then.
  }
  return { content: [{ type: "text", text }] };
}
