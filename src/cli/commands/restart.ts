import { defineCommand } from "../common/command.ts";
import { controlHub, reportStart, startHub, stopHub } from "../run-hub/background-hub.ts";
import { hubArguments, hubRunOptions } from "../run-hub/hub-run-options.ts";

export const restart = defineCommand({
  name: "restart",
  summary: "Stop the hub that runs, and start it again in the background.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: {
    now: { type: "boolean", summary: "Do not let running calls finish." },
    ...hubRunOptions,
  },
  notes: [
    "It starts with the options that it was started with. Options given here are added or take their place: `pagewire restart --terminal` switches terminals on. Environment variables, such as a model's key, come from this shell.",
    "Where no hub runs, one is started.",
  ],
  examples: ["pagewire restart", "pagewire restart --terminal", "pagewire restart --model anthropic/claude-haiku-4-5"],
  run: ({ io, printer, values: { now, ...values } }) =>
    controlHub({ io, printer }, async (control) => {
      const hub = control.state.runningHub();
      if (hub) await stopHub(hub, control, now);
      else if (!printer.json) printer.note("No hub was running.");
      const before = hub?.start ?? { arguments: [], folder: process.cwd() };
      // The last of an option that is given twice counts.
      const start = { ...before, arguments: [...before.arguments, ...hubArguments(values)] };
      // Ctrl-C hurried the stop; the hub is to run again.
      reportStart(await startHub({ ...control, signal: new AbortController().signal }, start), control);
    }),
});
