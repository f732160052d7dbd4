import { createContextFiles } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import { commonOptions, defineCommand, namingOptions, usageError } from "../common/command.ts";
import { forget } from "../contexts/forget.ts";
import { contextNamed } from "../contexts/context.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";

export const logout = defineCommand({
  name: "logout",
  summary: "Sign out of a hub, and forget what signed you in.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: { context: namingOptions.context, ...commonOptions },
  notes: [
    "It revokes the sign-in at the identity provider, where that can, and forgets it here in any case. The context stays, for: pagewire login --context NAME. To be rid of it, too: pagewire context remove NAME",
  ],
  examples: ["pagewire logout", "pagewire logout --context acme"],
  async run({ io, printer, values }) {
    const files = createContextFiles(openOwnState(io).directory);
    const name = values.context ?? (io.environment["PAGEWIRE_CONTEXT"] || files.inUse());
    const context = name === undefined ? undefined : contextNamed(files, name);
    if (context === undefined)
      throw usageError(
        "The hub of this machine needs no sign-in. Name another one: npx pagewire logout --context NAME",
      );
    const { isRevoked, problem } = await forget(context.name, files, io);
    if (printer.json)
      printer.data({ context: context.name, revoked: isRevoked, problem: problem && messageOf(problem) });
    else {
      printer.line(`Signed out of ${context.hub}.`);
      if (problem !== undefined)
        printer.note(`The identity provider was not told: ${messageOf(problem)} It ends the sign-in at its own time.`);
    }
    return 0;
  },
});
