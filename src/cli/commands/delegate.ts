import { defaultLimits } from "../../wire/index.ts";
import { commonOptions, defineCommand, numberOption, usageError } from "../common/command.ts";
import type { CommandContext, OptionSpecs } from "../common/command.ts";
import { createInterrupts, unlessAborted } from "../console/interrupts.ts";
import { oneLine, jsonText, plainText } from "../common/plain-text.ts";
import { renderTool, renderContent } from "../console/render.ts";
import { environmentTrace } from "../common/io.ts";
import { exitCodeOfError, exitCodeOfOutcome } from "../common/exit-codes.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { argumentsUsage, readArguments } from "../common/read-arguments.ts";
import { openDelegate } from "../terminal-identity/open-delegate.ts";
import { DelegateError } from "../../hub-client/index.ts";
import type { CallProgress, DelegateResult } from "../../hub-client/index.ts";
import type { Io } from "../common/io.ts";
import type { Printer } from "../common/printer.ts";
import { createProgressDisplay } from "../console/show-progress.ts";

/** Writes an action's answer: its output to stdout, everything else to stderr. */
interface DelegateDisplay {
  chunk(delta: string): void;
  progress(progress: CallProgress): void;
  done(result: DelegateResult): ExitCode;
  failed(error: unknown): ExitCode;
}

function createDelegateDisplay(io: Pick<Io, "stdout" | "stderr" | "environment">, printer: Printer): DelegateDisplay {
  const { stdout } = io;
  const bar = createProgressDisplay(io);
  /** The chunks so far, while a result could still equal them: no result is longer than a frame. */
  let written = "";
  /** The end of the last piece, if the next one may complete it. */
  let half = "";
  let isLineOpen = false;

  function write(text: string): void {
    if (text === "") return;
    stdout.write(plainText(text));
    isLineOpen = !text.endsWith("\n");
  }

  function endChunks(): void {
    bar.clear();
    write(half);
    if (isLineOpen) printer.line();
  }

  return {
    chunk(delta) {
      if (printer.json) return printer.data({ chunk: delta });
      bar.clear();
      const text = half + delta;
      half = unfinished.exec(text)?.[0] ?? "";
      write(text.slice(0, text.length - half.length));
      if (written.length <= defaultLimits.frameBytes) written += delta;
    },
    progress(progress) {
      if (printer.json) printer.data({ progress });
      // On a terminal, the bar would erase a piece that ends in the middle of a line.
      else if (!(isLineOpen && stdout.isTTY === true)) bar.show(progress);
    },
    done(result) {
      endChunks();
      if (printer.json) printer.data({ outcome: "ok", ...result });
      else if (result.text !== written || written === "") {
        const texts = render(result);
        for (const text of texts) printer.line(plainText(text));
        if (texts.length === 0) printer.note(printer.err.dim("Done. The action answered with nothing."));
      }
      return 0;
    },
    failed(error) {
      endChunks();
      if (!(error instanceof DelegateError)) throw error;
      const { outcome, ran, code, message } = error;
      if (printer.json) printer.data({ outcome, ran, code, message });
      else printer.note(`${printer.err.red("Failed:")} ${plainText(message)}`);
      return outcome === undefined ? exitCodeOfError(error) : exitCodeOfOutcome({ outcome, ran, code });
    },
  };
}

/** Half a character or line end, or an emoji that the next piece may extend. */
const unfinished = /(?:[\ud800-\udbff\r]|(?:\p{Extended_Pictographic}(?:\u200d|\ufe0f|\p{Emoji_Modifier})*)+)$/u;

function render({ text, fields, content }: DelegateResult): readonly string[] {
  if (fields !== undefined) return [jsonText(fields, 2)];
  if (content !== undefined) return renderContent({ content });
  return text === "" ? [] : [text];
}

const options = {
  list: { type: "boolean", summary: "List the tab's actions instead of running one." },
  timeout: { type: "string", value: "SECONDS", summary: "How long it may take, or a stream be silent." },
  key: { type: "string", value: "KEY", summary: "The same key again gives the same outcome, never a second run." },
  stream: { type: "boolean", summary: "Write the answer piece by piece, as it comes." },
  ...commonOptions,
} as const satisfies OptionSpecs;

export const delegate = defineCommand({
  name: "delegate",
  summary: "From a terminal, run an action in its tab.",
  usage: `<action> ${argumentsUsage}`,
  positionals: { min: 0, max: Infinity },
  options,
  notes: [
    "An action is any tool of the tab that shows this terminal; some are there for terminals only. The arguments are a JSON object, - for one on stdin, or pairs: name=value is a text, name:=value is JSON. The answer's text goes to stdout, or as JSON what an action answers in fields. It may take half a minute where the action says nothing else. Ctrl-C cancels the action in the tab; one with a key runs on for a while, so that the same key can ask how it ended. With --json: the whole outcome; with --stream too, a line for each piece, and for how far it is, before it.",
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
  const [action, ...given] = positionals;
  if (action === undefined)
    throw usageError(`"pagewire delegate" needs <action>. See what the tab can do: npx pagewire delegate --list`);
  const seconds = numberOption("timeout", values.timeout, { min: 0.001, max: defaultLimits.callTimeMost / 1000 });
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
