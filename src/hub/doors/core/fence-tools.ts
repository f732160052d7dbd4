import type { AiToolHandler } from "../../../ai/index.ts";
import type { PageTool } from "./page-tools.ts";

/** Tools that run only while this hub has the conversation: another may go on with it by now. */
export function fenceTools(tools: readonly PageTool[], stay: () => Promise<void>): readonly PageTool[] {
  return tools.map((tool) => {
    const { handler: run } = tool;
    if (!run) return tool;
    const handler: AiToolHandler = async (given, context) => {
      await stay();
      context.signal.throwIfAborted();
      return run(given, context);
    };
    return { ...tool, handler };
  });
}
