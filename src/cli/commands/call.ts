import type { CallLog, HubClient, HubOutcome } from "../../hub-client/index.ts";
import { defaultLimits } from "../../wire/index.ts";
import { defineCommand, hubOptions, numberOption } from "../common/command.ts";
import type { CommandContext, OptionSpecs } from "../common/command.ts";
import { environmentTrace } from "../common/io.ts";
import { exitCodeOfOutcome } from "../common/exit-codes.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { signInForScope } from "../reach-hub/ask-hub.ts";
import { connectToHub } from "../reach-hub/connect-to-hub.ts";
import { argumentsUsage, readArguments } from "../common/read-arguments.ts";
import { canAsk, createAskUser } from "../console/ask-user.ts";
import { createInterrupts, unlessAborted } from "../console/interrupts.ts";
import type { Interrupts } from "../console/interrupts.ts";
import { jsonText, oneLine, plainText } from "../common/plain-text.ts";
import { createProgressDisplay } from "../console/show-progress.ts";
import type { Printer } from "../common/printer.ts";
import { renderContent } from "../console/render.ts";

/** Writes how a call ended: the page's answer to stdout, everything else to stderr. */
export function showOutcome(outcome: HubOutcome, printer: Printer): void {
  if (printer.json) return printer.data(outcome);
  const { err } = printer;
  const { result, message = "" } = outcome;
  if (outcome.replay === true) printer.note(err.dim("This call ran before; this is how it ended then."));
  if (outcome.notSaved)
    printer.note(
      err.yellow("The hub could not save how this ended: after its restart it may not know the key's outcome."),
    );
  if (outcome.outcome === "ok") {
    const texts = renderContent(result ?? {});
    for (const text of texts) printer.line(plainText(text));
    if (texts.length === 0) printer.note(err.dim("Done. The tool answered with nothing."));
  } else if (result === undefined) {
    const next = outcome.code === "scope-needed" ? signInForScope(message) : "";
    printer.note(`${err.red(`${words[outcome.outcome]}:`)} ${plainText(message)}${next}`);
  } else {
    printer.note(err.red("The tool answered with an error:"));
    for (const text of renderContent(result)) printer.note(plainText(text));
  }
}

const words: Record<HubOutcome["outcome"], string> = {
  ok: "Done",
  "tool-error": "The tool failed",
  rejected: "Rejected",
  "not-delivered": "Not delivered",
  "page-gone": "The page is gone",
  "page-suspended": "The page is suspended",
  "deadline-exceeded": "Too late",
  cancelled: "Cancelled",
  expired: "Expired",
  "outcome-unknown": "Outcome unknown",
};

const options = {
  tab: { type: "string", value: "ID", summary: "The tab that is to do it; else the hub chooses." },
  timeout: { type: "string", value: "SECONDS", summary: "How long it may take; a minute by default." },
  key: { type: "string", value: "KEY", summary: "The same key again gives the same outcome, never a second run." },
  ...hubOptions,
} as const satisfies OptionSpecs;

export const call = defineCommand({
  name: "call",
  summary: "Call a tool in a page.",
  usage: `<tool> ${argumentsUsage}`,
  positionals: { min: 1, max: Infinity },
  options,
  notes: [
    "The arguments are a JSON object, - for one on stdin, or pairs: name=value is a text, name:=value is JSON. The tool's text goes to stdout; progress, logs and what went wrong go to stderr. A page's questions are asked on the terminal, where there is one. Ctrl-C cancels the call in the page; a second one does not wait for it. A call with a key survives a lost connection. With --json: the whole outcome.",
  ],
  examples: [
    "pagewire call get_dashboard_overview",
    `pagewire call get_sales_data '{"days": 7}' --timeout 10`,
    `pagewire call add_note text="Ship tea" days:=7`,
    "pagewire call add_note - < note.json",
    `pagewire call refund '{"order": 17}' --key refund-17`,
  ],
  async run(context) {
    const interrupts = createInterrupts(context.io);
    try {
      return await Promise.race([makeCall(context, interrupts), interrupts.again.then((): ExitCode => 130)]);
    } finally {
      interrupts.stop();
    }
  },
});

type Context = CommandContext<typeof options>;

async function makeCall(context: Context, interrupts: Interrupts): Promise<ExitCode> {
  const { io, printer, values, positionals } = context;
  const [name = "", ...given] = positionals;
  const max = defaultLimits.callTimeMost / 1000;
  const seconds = numberOption("timeout", values.timeout, { min: 0.001, max });
  const input = await unlessAborted(readArguments(given, io.stdin), interrupts.signal);
  const progress = createProgressDisplay(io);
  const note = (text: string) => {
    progress.clear();
    printer.note(text);
  };
  const onAsk =
    given[0] === "-" || !canAsk(io) ? {} : { "elicitation/create": askUser(context, interrupts, progress.clear) };
  const client = await unlessAborted(connectToHub(values, io, { onAsk }), interrupts.signal);
  interrupts.signal.addEventListener("abort", () => note(printer.err.dim("Cancelling. Ctrl-C again does not wait.")));
  // A call without a key ends with its connection, and reports that itself.
  if (values.key !== undefined)
    client.onState(({ status, message }) => status !== "closed" && note(printer.err.dim(message)));
  const stopHint = hintAfter(silentTime, () => note(printer.err.dim(stillWaits)));
  const outcome = await callTool(client, {
    name,
    arguments: input,
    signal: interrupts.signal,
    onProgress(update) {
      stopHint();
      progress.show(update);
    },
    onLog(log) {
      stopHint();
      note(describeLog(log));
    },
    tab: values.tab,
    key: values.key,
    timeout: seconds === undefined ? undefined : seconds * 1000,
    trace: environmentTrace(io),
  }).finally(stopHint);
  progress.clear();
  showOutcome(outcome, printer);
  return exitCodeOfOutcome(outcome);
}

/** After this many ms without a sign of the page, the person at the terminal may be waiting for the one at the page. */
const silentTime = 3000;
const stillWaits =
  "The page has not answered yet. It may be asking the person in front of it: look at its tab. You can answer from here, too: npx pagewire waits. Ctrl-C cancels the call.";

function hintAfter(milliseconds: number, show: () => void): () => void {
  const timer = setTimeout(show, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}

function askUser({ io, printer }: Context, { press }: Interrupts, clear: () => void) {
  return createAskUser({ io, style: printer.err, beforeQuestion: clear, onInterrupt: press });
}

async function callTool(client: HubClient, request: Parameters<HubClient["call"]>[0]): Promise<HubOutcome> {
  try {
    return await client.call(request);
  } finally {
    client.close();
  }
}

function describeLog({ level, data, logger }: CallLog): string {
  const text = typeof data === "string" ? plainText(data) : jsonText(data);
  return `${oneLine(logger === undefined ? level : `${level} ${logger}`)}: ${text}`;
}
