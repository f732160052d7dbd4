import { version as packageVersion } from "../../hub/common/version.ts";
import { defineCommand, commonOptions } from "../common/command.ts";

export const version = defineCommand({
  name: "version",
  summary: "Say which version this is.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: commonOptions,
  notes: ["It is the version of the command. That of a hub that runs is shown by: npx pagewire status"],
  examples: ["pagewire version"],
  async run({ printer }) {
    if (printer.json) printer.data({ version: packageVersion });
    else printer.line(packageVersion);
    return 0;
  },
});
