import { defineCommand, commonOptions, usageError } from "../command.ts";
import { openOwnState } from "../find-hub.ts";

export const token = defineCommand({
  name: "token",
  summary: "Show or change the token that agents bring.",
  usage: "show|rotate",
  positionals: { least: 1, most: 1 },
  options: commonOptions,
  notes: [
    "Whoever has the token can call every tool of every open page. A rotated token cuts off, within a second, every agent that came with the old one.",
  ],
  examples: ["pagewire token show", "pagewire token rotate"],
  async run({ io, printer, positionals: [action = ""] }) {
    const state = openOwnState(io);
    if (action === "show") {
      const value = state.agentToken();
      if (printer.json) printer.data({ token: value });
      else printer.line(value);
    } else if (action === "rotate") {
      state.rotateAgentToken();
      if (printer.json) printer.data({ rotated: true });
      else
        printer.line(
          "The token is a new one. Agents that came with the old one are cut off. See it with: npx pagewire token show",
        );
    } else {
      throw usageError(
        `"${action}" cannot be done to the token. Write: npx pagewire token show, or: npx pagewire token rotate`,
      );
    }
    return 0;
  },
});
