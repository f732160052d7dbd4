import { defineCommand, commonOptions } from "../command.ts";
import { findCommand } from "../find-command.ts";
import { commandHelp, generalHelp } from "../help-text.ts";

export const help = defineCommand({
  name: "help",
  summary: "Explain a command.",
  usage: "[command]",
  positionals: { least: 0, most: 1 },
  options: commonOptions,
  examples: ["pagewire help", "pagewire help call"],
  async run({ printer, positionals: [name] }) {
    const text = name === undefined ? generalHelp(printer.out) : commandHelp(await findCommand(name), printer.out);
    if (printer.json) printer.data({ help: text });
    else printer.line(text);
    return 0;
  },
});
