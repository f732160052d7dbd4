import { commonOptions, defineCommand } from "../common/command.ts";
import { noHub } from "../reach-hub/find-hub.ts";
import { controlHub, stopHub } from "../run-hub/background-hub.ts";

export const stop = defineCommand({
  name: "stop",
  summary: "Stop the hub that runs.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: {
    now: { type: "boolean", summary: "Do not let running calls finish." },
    ...commonOptions,
  },
  notes: [
    "Running calls may finish, for up to 30 seconds (the limit drainTime). Terminals in tmux stay. An MCP client that runs `pagewire mcp` starts a hub again when it needs one.",
  ],
  examples: ["pagewire stop", "pagewire stop --now"],
  run: (context) =>
    controlHub(context, async (control) => {
      const { printer, state } = control;
      const hub = state.runningHub();
      if (!hub) throw noHub(state);
      await stopHub(hub, control, context.values.now);
      if (printer.json) printer.data({ stopped: { url: hub.url, pid: hub.pid } });
      else printer.line(`The hub at ${hub.url} (process ${hub.pid}) has stopped.`);
    }),
});
