// The page as an app writes it: the hub's script tag comes first, then the tool is registered.
import type { ToolDefinition } from "pagewire";
import type { Page } from "pagewire/page";
import { answerTo } from "../answers.ts";
import type { ToolArguments } from "../answers.ts";
import { offeredTools } from "../offered-tools.ts";

const { pagewire } = window as unknown as { readonly pagewire: Page };

for (const tool of offeredTools(1)) {
  pagewire.registerTool({
    ...(tool as Omit<ToolDefinition, "execute">),
    execute: (input) => answerTo(input as ToolArguments),
  });
}
