import { defineCommand, hubOptions } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { withHub } from "../reach-hub/connect-to-hub.ts";
import { renderRewritings, renderTool } from "../console/render.ts";

export const tools = defineCommand({
  name: "tools",
  summary: "List the tools that can be called.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: {
    tab: { type: "string", value: "ID", summary: "Only what this tab offers, under its own names." },
    ...hubOptions,
  },
  notes: [
    "A tool's description is written by its page. With --json: also resources and prompts, and whole schemas.",
    "Where a model's vendor refuses a part of a schema, the last lines of a tool say which programs get it otherwise, and how.",
  ],
  examples: ["pagewire tools", "pagewire tools --tab Xb3fQ0aZ19kLmN2c", "pagewire tools --json"],
  run: ({ io, printer, values }) =>
    withHub(values, io, async (client): Promise<ExitCode> => {
      const offer = await client.offer(values.tab);
      const width = io.stdout.columns || undefined;
      if (printer.json) printer.data(offer);
      else if (offer.tools.length === 0) printer.line("This tab offers no tools.");
      else {
        // Only for this: it is a whole hub.
        const { rewritingsOf } = await import("../../hub/index.ts");
        for (const tool of offer.tools) {
          for (const line of renderTool(tool, printer.out, width)) printer.line(line);
          for (const line of renderRewritings(rewritingsOf(tool.inputSchema), printer.out, width)) printer.line(line);
        }
      }
      return 0;
    }),
});
