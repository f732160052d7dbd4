import { createHub, version } from "../../hub/index.ts";
import type { Hub, JwtOptions } from "../../hub/index.ts";
import type { HubInfo, State } from "../../state/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { defineCommand, commonOptions, numberOption, usageError } from "../command.ts";
import type { CommandContext, OptionSpecs, OptionValues } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { askForCode } from "../ask-for-code.ts";
import { findListener } from "../doctor/find-listener.ts";
import { defaultPort, openOwnState } from "../find-hub.ts";
import { printBanner } from "../hub-banner.ts";
import { openHubStore } from "../hub-store.ts";
import { createHubLog } from "../hub-log.ts";
import type { HubLog } from "../hub-log.ts";
import { createHubSources } from "../hub-sources.ts";
import { readJwtOptions } from "../jwt-options.ts";
import { chooseModel } from "../model/choose-model.ts";
import type { ModelChoice } from "../model/choose-model.ts";
import { createInterrupts } from "../terminal/interrupts.ts";
import type { Interrupts } from "../terminal/interrupts.ts";
import type { Printer } from "../terminal/printer.ts";

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
  model: {
    type: "string",
    value: "MODEL",
    summary: "<provider/model>, rehearsal or none; else PAGEWIRE_MODEL, else what can be found.",
  },
  "no-model": { type: "boolean", summary: "Have no model, whatever keys there are." },
  open: { type: "boolean", summary: "Open the assistant in the browser, signed in." },
  "no-code": { type: "boolean", summary: "Print no address that signs in: for output that is kept." },
  "demo-port": {
    type: "string",
    value: "N",
    summary: "The demo's port, by default the next one; if taken, a free one.",
  },
  "no-demo": { type: "boolean", summary: "Serve no demo." },
  "jwt-secret-file": { type: "string", value: "PATH", summary: "jwt mode: the file with the shared secret (HS256)." },
  jwks: { type: "string", value: "URL", summary: "jwt mode: the address of the public keys." },
  issuer: { type: "string", value: "NAME", summary: "jwt mode: who must have issued the tokens." },
  ...commonOptions,
} as const satisfies OptionSpecs;

export const hub = defineCommand({
  name: "hub",
  summary: "Run the hub. This is what `pagewire` alone does.",
  usage: "",
  positionals: { least: 0, most: 0 },
  options,
  notes: [
    "For a model it looks for a key in OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or AZURE_OPENAI_API_KEY, then for an Ollama on this machine; with none of these, the model is the rehearsal, which only plays one (in jwt mode: no model).",
    "Ctrl-C lets running calls finish, for up to 30 seconds; a second one stops at once. With --json: what happens, as lines of JSON.",
  ],
  examples: [
    "pagewire",
    "pagewire --port 0 --allow-origin http://localhost:5173",
    "pagewire --model anthropic/claude-haiku-4-5",
    "pagewire --host 0.0.0.0 --public-host hub.example.com --jwks https://id.example.com/keys",
  ],
  run,
});

async function run({ io, printer, values }: CommandContext<typeof options>): Promise<ExitCode> {
  const state = openOwnState(io);
  const interrupts = createInterrupts(io);
  try {
    const jwt = readJwtOptions(values);
    const log = createHubLog({ printer, now: io.now, state });
    const model = await chooseModel({
      model: values.model,
      isUnwanted: values["no-model"],
      isJwtMode: jwt !== undefined,
      environment: io.environment,
      fetch: io.fetch,
    });
    const hubThatRuns = await start({ values, jwt, model, state, log, printer });
    const url = reachableUrl(hubThatRuns.url);
    state.announceHub({ url, port: hubThatRuns.port, pid: process.pid, version });
    const signIn = async () => (jwt ? undefined : signInAt(url, state, printer));
    const { demo } = hubThatRuns;
    const code = values["no-code"] ? undefined : await signIn();
    printBanner({ url, signIn: code, demo, isJwtMode: jwt !== undefined, model, now: io.now() }, printer);
    if (values.open) {
      // A code is good once, and the one that was printed may be for another browser.
      const address = (await signIn()) ?? url;
      io.openInBrowser(address, (error) => printer.note(`The browser could not be opened: ${error.message}`));
    }
    return await runUntilInterrupted(hubThatRuns, interrupts, printer);
  } finally {
    interrupts.stop();
    state.forgetHub();
    state.close();
  }
}

/** Undefined where no code can be had: a hub that listens is not ended by that. */
async function signInAt(url: string, state: State, printer: Printer): Promise<string | undefined> {
  try {
    return (await askForCode(url, state.agentToken())).url;
  } catch (error) {
    printer.note(`Nobody can be signed in at the moment: ${messageOf(error)}`);
    return undefined;
  }
}

/** A hub that listens on every address of the machine is reached, from here, on the loopback one. */
function reachableUrl(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, "//127.0.0.1");
}

interface Start {
  readonly values: OptionValues<typeof options>;
  readonly jwt: JwtOptions | undefined;
  readonly model: ModelChoice;
  readonly state: State;
  readonly log: HubLog;
  readonly printer: Printer;
}

async function start({ values, jwt, model, state, log, printer }: Start): Promise<Hub> {
  const port = portOption("port", values.port) ?? defaultPort;
  const demo = demoOf(values, jwt !== undefined, port);
  // A broken token file is better found now than by the first agent.
  if (jwt === undefined) state.agentToken();
  try {
    const running = await createHub({
      port,
      ...(values.host === undefined ? {} : { host: values.host }),
      publicHosts: values["public-host"],
      ...createHubSources(state, values["allow-origin"], log.problem),
      ...(jwt === undefined ? {} : { jwt }),
      ai: model.ai ?? "none",
      store: () => openHubStore(state.directory, log.problem),
      ...(demo === undefined ? {} : { demo }),
      log: log.record,
    });
    if (demo && demo.port !== 0 && running.demo?.endsWith(`:${demo.port}`) === false && !printer.json)
      printer.note(`Port ${demo.port} is taken, so that the demo is at ${running.demo}/.`);
    return running;
  } catch (error) {
    if (!PagewireError.isInstance(error) || error.code !== "address-in-use") throw error;
    throw new PagewireError("address-in-use", await whoIsThere(port, state.runningHub()), { cause: error });
  }
}

/** Where the demo is to be. Nobody could sign a token for it in jwt mode. */
function demoOf(values: Start["values"], isJwtMode: boolean, hubPort: number): { port: number } | undefined {
  const given = portOption("demo-port", values["demo-port"]);
  if (given !== undefined && isJwtMode) throw usageError("--demo-port is not for jwt mode, which has no demo.");
  if (given !== undefined && values["no-demo"]) throw usageError("Write either --demo-port or --no-demo, not both.");
  if (isJwtMode || values["no-demo"]) return undefined;
  return { port: given ?? (hubPort === 0 || hubPort === 65_535 ? 0 : hubPort + 1) };
}

function portOption(name: string, text: string | undefined): number | undefined {
  return numberOption(name, text, { least: 0, most: 65_535, isWhole: true });
}

async function whoIsThere(port: number, running: HubInfo | undefined): Promise<string> {
  if (running?.port === port) {
    return `A hub already runs at ${running.url} (process ${running.pid}). Use that one, or choose another port with --port.`;
  }
  const listener = await findListener(port);
  const who = listener === undefined ? "another program" : `another program: ${listener}`;
  return `Port ${port} is used by ${who}. Choose another port with --port.`;
}

async function runUntilInterrupted(running: Hub, interrupts: Interrupts, printer: Printer): Promise<ExitCode> {
  const { signal } = interrupts;
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  if (!printer.json)
    printer.note("Stopping. Running calls may finish, for up to 30 seconds; Ctrl-C again stops at once.");
  const drained = running.drain().then((): ExitCode => 0);
  const stopped = interrupts.again.then(async (): Promise<ExitCode> => {
    await running.close();
    return 130;
  });
  return Promise.race([drained, stopped]);
}
