import { defineCommand, commonOptions } from "../common/command.ts";
import { readTerminal } from "../terminal-identity/read-terminal.ts";
import { readTerminalVariables } from "../terminal-identity/terminal-variables.ts";

export const workspaceToken = defineCommand({
  name: "workspace-token",
  summary: "Print this terminal's token, for scripts.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: commonOptions,
  notes: [
    "The token is good for asking this terminal's tab to act, and for nothing else. Where the terminal belongs to no tab nothing is printed, and the exit code is 1. Hand it on by stdin, as in the second example: what a command is given as words, everybody on the machine can read. With --json: all that a request needs, the hub's address and what to name as browser_id with it.",
  ],
  examples: [
    "pagewire workspace-token --json",
    `printf 'Authorization: Bearer %s' "$(pagewire workspace-token)" | curl -H @- "$PAGEWIRE_URL/api/browser-delegate/actions"`,
  ],
  async run({ io, printer }) {
    if (printer.json) {
      const terminal = await readTerminal(io);
      if (terminal === undefined) return 1;
      printer.data(terminal);
      return 0;
    }
    const { token } = await readTerminalVariables(io);
    if (token === undefined) return 1;
    printer.line(token);
    return 0;
  },
});
