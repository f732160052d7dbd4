import { readFileSync } from "node:fs";
import { createHub } from "../../hub/index.ts";
import type { Hub, JwtOptions } from "../../hub/index.ts";
import type { State } from "../../state/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { defineCommand, commonOptions, numberOption, usageError } from "../command.ts";
import type { CommandContext, OptionSpecs, OptionValues } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { defaultPort, openOwnState } from "../find-hub.ts";
import { createHubLog } from "../hub-log.ts";
import type { HubLog } from "../hub-log.ts";
import { createHubSources } from "../hub-sources.ts";
import { createInterrupts } from "../terminal/interrupts.ts";
import type { Interrupts } from "../terminal/interrupts.ts";
import type { Printer } from "../terminal/printer.ts";
import { version } from "../version.ts";

const options = {
  port: { type: "string", value: "N", summary: `The port, ${defaultPort} by default; 0 takes a free one.` },
  host: { type: "string", value: "ADDRESS", summary: "127.0.0.1 by default; others than loopback need jwt mode." },
  "public-host": {
    type: "string",
    multiple: true,
    value: "NAME",
    summary: "A name that this hub may be called by from elsewhere, such as hub.example.com.",
  },
  "allow-origin": {
    type: "string",
    multiple: true,
    value: "ORIGIN",
    summary: "Let pages of this origin offer tools, for this run.",
  },
  open: { type: "boolean", summary: "Open the demo in the browser." },
  "jwt-secret-file": { type: "string", value: "PATH", summary: "jwt mode: the file with the shared secret (HS256)." },
  jwks: { type: "string", value: "URL", summary: "jwt mode: the address of the public keys." },
  issuer: { type: "string", value: "NAME", summary: "jwt mode: who must have issued the tokens." },
  ...commonOptions,
} as const satisfies OptionSpecs;

type Context = CommandContext<typeof options>;

export const hub = defineCommand({
  name: "hub",
  summary: "Run the hub. This is what `pagewire` alone does.",
  usage: "",
  positionals: { least: 0, most: 0 },
  options,
  notes: [
    "Ctrl-C lets running calls finish, for up to 30 seconds; a second one stops at once. With --json: what happens, as lines of JSON.",
  ],
  examples: [
    "pagewire",
    "pagewire --port 0 --allow-origin http://localhost:5173",
    "pagewire --host 0.0.0.0 --public-host hub.example.com --jwks https://id.example.com/keys",
  ],
  run,
});

async function run(context: Context): Promise<ExitCode> {
  const { io, printer, values } = context;
  const state = openOwnState(io);
  const interrupts = createInterrupts(io);
  try {
    const running = await start(context, state);
    const { url, port } = running;
    state.announceHub({ url, port, pid: process.pid, version });
    printListening(running, printer, io.now());
    if (values.open) {
      io.openInBrowser(`${url}/demo/`, (error) => printer.note(`The browser could not be opened: ${error.message}`));
    }
    return await runUntilInterrupted(running, interrupts, printer);
  } finally {
    interrupts.stop();
    state.forgetHub();
    state.close();
  }
}

async function start({ io, printer, values }: Context, state: State): Promise<Hub> {
  const log = createHubLog(printer, io.now);
  const jwt = jwtOptions(values);
  if (jwt === undefined) state.agentToken();
  try {
    return await createHub({
      port: numberOption("port", values.port, { least: 0, most: 65_535, isWhole: true }) ?? defaultPort,
      ...(values.host === undefined ? {} : { host: values.host }),
      publicHosts: values["public-host"],
      ...createHubSources(state, values["allow-origin"], log.problem),
      ...(jwt === undefined ? {} : { jwt }),
      log: (record) => {
        noteRefusal(record, state, log);
        log.record(record);
      },
    });
  } catch (error) {
    throw withAdvice(error, state);
  }
}
