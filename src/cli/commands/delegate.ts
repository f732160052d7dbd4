import { defaultLimits } from "../../wire/index.ts";
import { commonOptions, defineCommand, numberOption, usageError } from "../command.ts";
import type { CommandContext, OptionSpecs } from "../command.ts";
import { createInterrupts, unlessAborted } from "../console/interrupts.ts";
import { createDelegateDisplay } from "../console/show-delegate.ts";
import { oneLine } from "../console/plain-text.ts";
import { renderTool } from "../console/render-tool.ts";
import { environmentTrace } from "../environment-trace.ts";
import type { ExitCode } from "../exit-codes.ts";
import { readArguments } from "../read-arguments.ts";
import { openDelegate } from "../terminal-identity/open-delegate.ts";

const options = {
  list: { type: "boolean", summary: "List what the tab can do, instead of having it do something." },
  timeout: { type: "string", value: "SECONDS", summary: "How long it may take, or a stream be silent." },
  key: { type: "string", value: "KEY", summary: "The same key again gives the same outcome, never a second run." },
  stream: { type: "boolean", summary: "Write the answer piece by piece, as it comes." },
  ...commonOptions,
} as const satisfies OptionSpecs;

export const delegate = defineCommand({
  name: "delegate",
  summary: "From a terminal, have its tab do something.",
  usage: "<action> [json|-]",
  positionals: { least: 0, most: 2 },
  options,
  notes: [
    "An action is any tool of the tab that shows this terminal; some are there for terminals only. The arguments are a JSON object, or - for one that comes in on stdin. The answer's text goes to stdout, or as JSON what an action answers in fields. It may take half a minute where the action says nothing else. Ctrl-C cancels the action in the tab; one with a key runs on for a while, so that the same key can ask how it ended. With --json: the whole outcome; with --stream too, a line for each piece, and for how far it is, before it.",
  ],
  examples: [
    "pagewire delegate --list",
    "pagewire delegate celebrate",
    `pagewire delegate fetch '{"url": "/api/orders"}' --json`,
    "pagewire delegate add_note - < note.json",
  ],
  async run(context) {
    const interrupts = createInterrupts(context.io);
    try {
      return await (context.values.list ? listActions : callAction)(context, interrupts.signal);
    } finally {
      interrupts.stop();
    }
  },
});

type Context = CommandContext<typeof options>;

async function callAction({ io, printer, values, positionals }: Context, signal: AbortSignal): Promise<ExitCode> {
  const [action, given] = positionals;
  if (action === undefined)
    throw usageError(
      `"pagewire delegate" needs <action> [json|-]. See what the tab can do: npx pagewire delegate --list`,
    );
  const seconds = numberOption("timeout", values.timeout, { least: 0.001, most: defaultLimits.callTimeMost / 1000 });
  const input = await unlessAborted(readArguments(given, io.stdin), signal);
  const tab = await openDelegate(io);
  const display = createDelegateDisplay(io, printer);
  const hears = values.stream ? { onChunk: display.chunk, onProgress: display.progress } : {};
  const timeout = seconds === undefined ? undefined : seconds * 1000;
  const trace = environmentTrace(io);
  return tab
    .call(action, input, { signal, timeout, key: values.key, trace, ...hears })
    .then(display.done, display.failed);
}

async function listActions({ io, printer, values, positionals }: Context, signal: AbortSignal): Promise<ExitCode> {
  const forCalls = (["timeout", "key", "stream"] as const).filter(
    (name) => values[name] !== undefined && values[name] !== false,
  );
  const [surplus] = [...positionals, ...forCalls.map((name) => `--${name}`)];
  if (surplus !== undefined)
    throw usageError(`"pagewire delegate --list" does not know what to do with "${oneLine(surplus, 60)}".`);
  const found = await (await openDelegate(io)).actions({ signal });
  const { tab, actions } = found;
  if (printer.json) printer.data(found);
  else {
    printer.line(printer.out.dim(oneLine(`What ${tab.app} can do, in the tab "${tab.title}" at ${tab.url}:`)));
    const width = io.stdout.columns || undefined;
    for (const line of actions.flatMap((each) => renderTool(each, printer.out, width))) printer.line(line);
  }
  return 0;
}
