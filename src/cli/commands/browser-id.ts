import { defineCommand, commonOptions } from "../common/command.ts";
import { readTerminalVariables } from "../terminal-identity/terminal-variables.ts";

export const browserId = defineCommand({
  name: "browser-id",
  summary: "Print the id by which a terminal's programs name their tab.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: commonOptions,
  notes: [
    "It is what a request names as browser_id: the terminal's own id, right whatever tab shows it. Where the terminal belongs to no tab nothing is printed, and the exit code is 1.",
  ],
  examples: ["pagewire browser-id"],
  async run({ io, printer }) {
    const { browserId: id } = await readTerminalVariables(io);
    if (id === undefined) return 1;
    if (printer.json) printer.data({ browserId: id });
    else printer.line(id);
    return 0;
  },
});
