// A page whose one lasting tool registers another, or takes it away, and says when it did.
import type { Page } from "pagewire/page";
import type { LateToolAnswer, LateToolArguments } from "../late-tool.ts";

const { pagewire } = window as unknown as { readonly pagewire: Page };

let remove = () => {};

pagewire.registerTool({
  name: "change",
  description: "Registers a tool of this name, or takes away what it registered last.",
  inputSchema: { type: "object", properties: { name: { type: "string" } } },
  execute(input): LateToolAnswer {
    const { name } = input as LateToolArguments;
    const at = Date.now();
    if (name === undefined) remove();
    else ({ remove } = pagewire.registerTool({ name, description: "Came late.", execute: () => "here" }));
    return { at };
  },
});
