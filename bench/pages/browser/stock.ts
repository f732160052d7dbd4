// A page whose script registers the bench's tool with the browser, and knows nothing of Pagewire.
import { answerTo } from "../answers.ts";
import type { ToolArguments } from "../answers.ts";
import { offeredTools } from "../offered-tools.ts";

const { modelContext } = document as unknown as {
  readonly modelContext: { registerTool(tool: object): Promise<void> };
};

for (const tool of offeredTools(1)) {
  modelContext.registerTool({ ...tool, execute: (input: ToolArguments) => answerTo(input) }).catch(reportError);
}
