import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../../../src/toolbox/index.ts";
import type { LocalToolbox } from "../../../src/toolbox/index.ts";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** A page's tools, and the shelves that were asked for. */
export function createShelf(): { readonly toolbox: LocalToolbox; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError() {} });
  const shelf = { type: "object", properties: { shelf: { enum: ["A", "B"] } }, required: ["shelf"] } as const;
  toolbox.registerTool({
    name: "get_stock",
    description: "How many pieces lie on a shelf.",
    inputSchema: shelf,
    annotations: { readOnlyHint: true },
    execute(input: unknown) {
      asked.push(input);
      return "42 pieces";
    },
  });
  toolbox.registerTool({
    name: "take_picture",
    description: "A picture of the shelf.",
    annotations: { readOnlyHint: true },
    execute: () => ({ content: [{ type: "image", data: pixel, mimeType: "image/png" }] }),
  });
  toolbox.registerTool({
    name: "clear_shelf",
    description: "Clears it.",
    execute() {
      throw new Error("The shelf is locked.");
    },
  });
  return { toolbox, asked };
}
