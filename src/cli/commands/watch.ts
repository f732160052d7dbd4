import type { HubClient } from "../../hub-client/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { CallEvent } from "../../wire/index.ts";
import { defineCommand, hubOptions } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { withHub } from "../reach-hub/connect-to-hub.ts";
import { oneLine } from "../common/plain-text.ts";
import type { Style } from "../common/printer.ts";

export const watch = defineCommand({
  name: "watch",
  summary: "Show every call as it happens.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: hubOptions,
  notes: [
    "One line when a call begins and one when it ends. With --json: a line of JSON when it begins to watch, and one for every moment of every call. Arguments and results are never shown. Ctrl-C ends it.",
  ],
  examples: ["pagewire watch", "pagewire watch --json"],
  run: (context) => withHub(context.values, context.io, (client) => watchUntilInterrupted(client, context)),
});

function watchUntilInterrupted(client: HubClient, { io, printer }: CommandContext): Promise<ExitCode> {
  return new Promise((resolve, reject) => {
    io.onInterrupt(() => resolve(0));
    client.onState((state) => {
      if (state.status === "refused") reject(new PagewireError(state.code, state.message));
      else if (state.status !== "closed" && !printer.json) printer.note(printer.err.dim(state.message));
    });
    client.watch(
      (event) => {
        if (printer.json) return printer.data({ time: io.now().toISOString(), ...event });
        const line = renderEvent(event, io.now(), printer.out);
        if (line !== undefined) printer.line(line);
      },
      (count) => {
        if (printer.json) printer.data({ time: io.now().toISOString(), event: "missed", count });
        else printer.note(printer.err.dim(`Too much happened at once: ${count} events of calls are not shown.`));
      },
    );
    if (printer.json) printer.data({ time: io.now().toISOString(), event: "watching" });
    else printer.note(printer.err.dim("Watching. Ctrl-C ends it."));
  });
}

/** One event of a call on one line; undefined for events that people need not see. */
function renderEvent(event: CallEvent, now: Date, style: Style): string | undefined {
  const time = style.dim(now.toTimeString().slice(0, 8));
  const name = style.bold(oneLine(event.name, 128));
  const about = [event.app, event.tabId && `tab ${event.tabId}`, `by ${event.agent}`];
  const where = style.dim(about.flatMap((part) => (part ? [oneLine(part, 128)] : [])).join(", "));
  if (event.event === "started") return `${time} > ${name} ${where}`;
  if (event.event !== "ended") return undefined;
  const { outcome = "outcome-unknown", milliseconds = 0 } = event;
  const paint = outcome === "ok" ? style.green : style.red;
  return `${time} < ${name} ${paint(outcome)} in ${Math.round(milliseconds)} ms ${where}`;
}
