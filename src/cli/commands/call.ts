import type { CallLog, HubClient, HubOutcome } from "../../hub-client/index.ts";
import { defaultLimits } from "../../wire/index.ts";
import { defineCommand, hubOptions, numberOption } from "../command.ts";
import type { CommandContext, OptionSpecs } from "../command.ts";
import { environmentTrace } from "../environment-trace.ts";
import { exitCodeOfOutcome } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { connectToHub } from "../connect-to-hub.ts";
import { readArguments } from "../read-arguments.ts";
import { canAsk, createAskUser } from "../console/ask-user.ts";
import { createInterrupts, unlessAborted } from "../console/interrupts.ts";
import type { Interrupts } from "../console/interrupts.ts";
import { jsonText, oneLine, plainText } from "../console/plain-text.ts";
import { showOutcome } from "../console/show-outcome.ts";
import { createProgressDisplay } from "../console/show-progress.ts";

const options = {
  tab: { type: "string", value: "ID", summary: "The tab that is to do it; else the hub chooses." },
  timeout: { type: "string", value: "SECONDS", summary: "How long it may take; a minute by default." },
  key: { type: "string", value: "KEY", summary: "The same key again gives the same outcome, never a second run." },
  ...hubOptions,
} as const satisfies OptionSpecs;

export const call = defineCommand({
  name: "call",
  summary: "Call a tool in a page.",
  usage: "<tool> [json|-]",
  positionals: { least: 1, most: 2 },
  options,
  notes: [
    "The arguments are a JSON object, or - for one that comes in on stdin. The tool's text goes to stdout; progress, logs and what went wrong go to stderr. A page's questions are asked on the terminal, where there is one. Ctrl-C cancels the call in the page; a second one does not wait for it. A call with a key survives a lost connection. With --json: the whole outcome.",
  ],
  examples: [
    "pagewire call get_dashboard_overview",
    `pagewire call get_sales_data '{"days": 7}' --timeout 10`,
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
  const [name = "", given] = positionals;
  const most = defaultLimits.callTimeMost / 1000;
  const seconds = numberOption("timeout", values.timeout, { least: 0.001, most });
  const input = await unlessAborted(readArguments(given, io.stdin), interrupts.signal);
  const progress = createProgressDisplay(io);
  const note = (text: string) => {
    progress.clear();
    printer.note(text);
  };
  const onAsk =
    given === "-" || !canAsk(io) ? {} : { "elicitation/create": askUser(context, interrupts, progress.clear) };
  const client = await unlessAborted(connectToHub(values.hub, io, { onAsk }), interrupts.signal);
  interrupts.signal.addEventListener("abort", () => note(printer.err.dim("Cancelling. Ctrl-C again does not wait.")));
  // A call without a key ends with its connection, and says so itself.
  if (values.key !== undefined)
    client.onState(({ status, message }) => status !== "closed" && note(printer.err.dim(message)));
  const outcome = await callTool(client, {
    name,
    arguments: input,
    signal: interrupts.signal,
    onProgress: progress.show,
    onLog: (log) => note(describeLog(log)),
    tab: values.tab,
    key: values.key,
    timeout: seconds === undefined ? undefined : seconds * 1000,
    trace: environmentTrace(io),
  });
  progress.clear();
  showOutcome(outcome, printer);
  return exitCodeOfOutcome(outcome);
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
