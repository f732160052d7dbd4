import type { Run } from "./run.ts";
import type { AiRequestOptions, AiTool } from "./types.ts";

interface GatheredTools {
  readonly tools: readonly AiTool[];
  close(): void;
}

/** The tools that a request declares, and those of the sources that it names. */
export async function gatherTools(options: AiRequestOptions, { signal, desk }: Run): Promise<GatheredTools> {
  const { tools = [], mcp = [] } = options;
  if (tools === "page" || tools.includes("page") || mcp.length > 0) {
    return await (await import("./sources/tool-sources.ts")).loadToolSources(options, signal, desk);
  }
  const declared = tools.filter((tool) => tool !== "page");
  const names = new Set(declared.map(({ name }) => name));
  for (const { name } of declared) {
    if (!names.delete(name)) throw new Error(`Two tools are named "${name}": give one of them another name.`);
  }
  return { tools: declared, close: () => undefined };
}
