import { defineCommand, commonOptions, usageError } from "../common/command.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";

export const allow = defineCommand({
  name: "allow",
  summary: "Let pages of an origin offer tools.",
  usage: "<origin>",
  positionals: { min: 0, max: 1 },
  options: {
    list: { type: "boolean", summary: "List the origins that are allowed." },
    remove: { type: "string", value: "ORIGIN", summary: "Stop allowing this origin." },
    ...commonOptions,
  },
  notes: ["A hub that runs notices within a second. The hub's own pages need no permission."],
  examples: [
    "pagewire allow http://localhost:5173",
    "pagewire allow --list",
    "pagewire allow --remove http://localhost:5173",
  ],
  async run({ io, printer, values: { list, remove }, positionals: [origin] }) {
    if ([list, remove !== undefined, origin !== undefined].filter(Boolean).length !== 1) {
      throw usageError("Give one origin, or --list, or --remove ORIGIN. See: npx pagewire help allow");
    }
    const state = openOwnState(io);
    const say = (done: boolean, [yes, no]: readonly [string, string]) => printer.json || printer.line(done ? yes : no);
    if (remove !== undefined) {
      say(state.disallowOrigin(remove), [
        `Pages of ${remove} cannot offer tools any more.`,
        `Pages of ${remove} were not allowed to offer tools.`,
      ]);
    } else if (origin !== undefined) {
      say(state.allowOrigin(origin), [
        `Pages of ${origin} can offer tools now.`,
        `Pages of ${origin} could offer tools before.`,
      ]);
    }
    const origins = state.allowedOrigins();
    if (printer.json) printer.data({ origins });
    else if (list) for (const each of origins.length === 0 ? [noOrigins] : origins) printer.line(each);
    return 0;
  },
});

const noOrigins = "No origin is allowed but the hub's own. Allow one with: npx pagewire allow http://localhost:5173";
