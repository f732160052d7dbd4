import { defineCommand, hubOptions, usageError } from "../command.ts";
import { oneLine } from "../console/plain-text.ts";
import { attachTerminal } from "../terminal-identity/attach-terminal.ts";
import { isSafeId } from "../terminal-identity/terminal-words.ts";

export const attachBrowser = defineCommand({
  name: "attach-browser",
  summary: "Let this terminal's programs act in a tab.",
  usage: "<id>",
  positionals: { least: 1, most: 1, areIds: true },
  options: hubOptions,
  notes: [
    "The id is that of a tab, as pagewire tabs lists them. A terminal that a tab shows needs none of this: it belongs to the tab that showed it last. In tmux the id is kept for all of a session's panes, and for no other session's.",
  ],
  examples: ["pagewire attach-browser Xb3fQ0aZ19kLmN2c"],
  async run({ io, printer, values, positionals: [id = ""] }) {
    if (!isSafeId(id)) {
      const problem = `"${oneLine(id, 60)}" is not the id of a tab: one word of letters, digits, dots, dashes and underscores.`;
      throw usageError(`${problem} Write: npx pagewire attach-browser <id>`);
    }
    const { browserId, terminal, problem } = await attachTerminal(io, id, values.hub);
    if (printer.json) printer.data({ browserId, terminal, problem });
    else if (problem !== undefined) printer.note(`The id is kept, but the hub was not told: ${problem}`);
    return 0;
  },
});
