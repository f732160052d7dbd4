import type { State, HubInfo } from "../../state/index.ts";
import { accessTerminals } from "../reach-hub/access-hub.ts";
import { askForShellCode } from "../reach-hub/ask-hub.ts";
import { areTerminalsOff, switchOnTerminals } from "../terminals/switch-on-terminals.ts";
import { endTerminals, listTerminals } from "../terminals/manage-terminals.ts";
import type { ShellCode } from "../reach-hub/ask-hub.ts";
import { commonOptions, defineCommand, namingOptions, usageError } from "../common/command.ts";
import type { CommandContext, OptionSpecs, OptionValues } from "../common/command.ts";
import { askHealth } from "../reach-hub/ask-health.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { explicitHub, hubUrl, openOwnState } from "../reach-hub/find-hub.ts";
import { startOptions } from "../run-hub/hub-run-options.ts";
import { requireOrigin } from "../run-hub/hub-sources.ts";
import type { Io } from "../common/io.ts";
import { runHub } from "../run-hub/run-hub.ts";
import { PagewireError } from "../../wire/index.ts";

/** The hub that refused, and the one that runs on this machine. */
interface Refusing {
  readonly hub: string;
  readonly running: HubInfo | undefined;
  readonly platform: string;
}

/** Rewords a hub's refusal to create a code for terminals, with instructions. */
function explainRefusal(error: unknown, refusing: Refusing): unknown {
  if (!PagewireError.isInstance(error)) return error;
  const explained = explanation(error, refusing);
  return explained === undefined ? error : new PagewireError(error.code, explained, { cause: error });
}

function explanation(
  { code, message, cause }: PagewireError,
  { hub, running, platform }: Refusing,
): string | undefined {
  const process = running?.url === hub ? running.pid : undefined;
  const kill = platform === "win32" ? `taskkill /PID ${process}` : `kill ${process}`;
  const end =
    process === undefined
      ? "Have it started again with: npx pagewire hub --terminal"
      : `End it, with Ctrl-C where it runs or with: ${kill}. Then run this again, which starts one with terminals.`;
  if (code === "terminal-unavailable") return `The hub at ${hub} runs without terminals. ${end}`;
  // Older hubs do not have this path.
  if (code === "route-not-found") return `The hub at ${hub} is of a version that has no terminals. ${end}`;
  if (code === "hub-not-proven") return `${message} ${otherKeys}`;
  // The cause, found out about the user's own hub, is more specific.
  if (code !== "token-invalid" || PagewireError.isInstance(cause)) return undefined;
  return `The hub at ${hub} does not take this shell key. ${otherKeys}`;
}

const otherKeys =
  "A hub that was started with another PAGEWIRE_HOME has another shell key, and one in jwt mode takes a token for the audience pagewire:terminal: put what it takes into PAGEWIRE_SHELL_KEY.";

const options = {
  print: { type: "boolean", summary: "Only print the address, for another browser." },
  code: { type: "boolean", summary: "Only print the code, to be pasted into the page." },
  for: { type: "string", value: "ORIGIN", summary: "Print a code for the pages of an app that shows terminals." },
  yes: { type: "boolean", summary: "Switch terminals on without a question, if the hub runs without them." },
  all: { type: "boolean", summary: "end: All terminals." },
  ...startOptions,
  hub: namingOptions.hub,
  ...commonOptions,
} as const satisfies OptionSpecs;

type Context = CommandContext<typeof options>;

export const terminal = defineCommand({
  name: "terminal",
  summary: "Open a terminal in the browser; its programs act in its tab.",
  usage: "[list|end] [id …]",
  positionals: { min: 0, max: 1000 },
  options,
  notes: [
    "A terminal is a shell of the user who runs the hub. If no hub runs, one is started with terminals on, in this process, until Ctrl-C; the options of `pagewire hub` that are listed here are for that one. A hub that runs without terminals asks you whether to switch them on, which --yes answers; they are on then until that hub stops. In jwt mode, and with --public-host, they are an option of its start: npx pagewire hub --terminal",
    "list shows your terminals: the program that runs in each, its size, the tab that shows it, and since when there is one. end ends the named ones with the programs in them, and asks nothing.",
    "The address has a code that lets in the first person to open it: it is valid once, for ten minutes. The browser may open terminals for 30 days, until it signs out, or until the shell key is changed: npx pagewire token rotate --shell",
    "The browser is started with that address, which other users of this machine can see for a moment. If there are any that you do not trust, open it yourself: npx pagewire terminal --print",
    "An app's own page that shows a terminal asks for a code. Its origin has to be allowed, and the code is good in its pages alone.",
    "In jwt mode, put your token for the audience pagewire:terminal into PAGEWIRE_SHELL_KEY. With --json the code is printed, and nothing is opened.",
  ],
  examples: [
    "pagewire terminal",
    "pagewire terminal --print",
    "pagewire terminal --for http://localhost:5173",
    "pagewire terminal list",
    "pagewire terminal end --all",
  ],
  run,
});

async function run(context: Context): Promise<ExitCode> {
  const { io, values, positionals } = context;
  if (positionals.length > 0) return manage(context);
  if (values.all) throw usageError("--all is for: npx pagewire terminal end --all");
  const origin = values.for === undefined ? undefined : requireOrigin(values.for);
  if (values.print && (values.code || origin !== undefined))
    throw usageError("Write --print for the address of the hub's own page, or else --code, or --for ORIGIN.");
  const state = openOwnState(io);
  const hub = await hubOf(values.hub, io, state);
  const show = (url: string) => showTerminal({ ...context, origin, state, url });
  if (hub === undefined) return startHub(context, show);
  refuseStartOptions(values, hub);
  await show(hub);
  return 0;
}

/** The options of `terminal list` and `terminal end`. */
const managed: readonly string[] = ["hub", "json", "all"];

/** `terminal list` and `terminal end`. */
async function manage({ io, printer, values, positionals: [action = "", ...ids] }: Context): Promise<ExitCode> {
  const { hub: given, all } = values;
  const isPlain = Object.entries(values).every(([name, value]) => managed.includes(name) || isUnset(value));
  const isList = action === "list" && ids.length === 0 && !all;
  const isEnd = action === "end" && all === (ids.length === 0);
  if (!isPlain || !(isList || isEnd))
    throw usageError("Write: npx pagewire terminal list, or: npx pagewire terminal end <id>, or: end --all.");
  const state = openOwnState(io);
  const url = hubUrl(given, io, state);
  const managing = { io, printer, state, url };
  await (isList ? listTerminals(managing) : endTerminals(managing, ids)).catch((error: unknown) => {
    throw explainRefusal(error, { hub: url, running: state.runningHub(), platform: io.platform });
  });
  return 0;
}

function isUnset(value: string | boolean | readonly string[] | undefined): boolean {
  return Array.isArray(value) ? value.length === 0 : value === undefined || value === false;
}

/** The hub that was named, else the one that runs here. */
async function hubOf(given: string | undefined, io: Io, state: State): Promise<string | undefined> {
  const named = explicitHub({ hub: given }, io, state);
  if (named !== undefined) return named.url;
  const running = state.runningHub()?.url;
  // The announcement may be of a hub that has ended.
  return running !== undefined && (await askHealth(running)) === "hub" ? running : undefined;
}

function startHub({ io, printer, values }: Context, onReady: (url: string) => Promise<void>): Promise<ExitCode> {
  const jwt = { "jwt-secret-file": undefined, jwks: undefined, issuer: undefined, team: undefined };
  const rest = {
    host: undefined,
    "tls-cert": undefined,
    "tls-key": undefined,
    "behind-proxy": [],
    insecure: false,
    database: undefined,
    nats: undefined,
    "nats-creds": undefined,
    "hub-name": undefined,
    "metrics-port": undefined,
    cluster: undefined,
    "public-host": [],
    "audit-contents": [],
    pin: false,
    terminal: true,
    open: false,
    background: false,
    "no-code": false,
  };
  return runHub({ io, printer, values: { ...values, ...jwt, ...rest }, onReady });
}

/** Refuses options for starting a hub where one runs already: they would be ignored. */
function refuseStartOptions(values: OptionValues<typeof options>, hub: string): void {
  const name = (Object.keys(startOptions) as (keyof typeof startOptions)[]).find((each) => !isUnset(values[each]));
  if (name === undefined) return;
  throw usageError(
    `--${name} is for a hub that is started, and one runs at ${hub}. Leave it out, or end that hub first. A second one needs a state directory of its own: set PAGEWIRE_HOME`,
  );
}

interface Showing extends Pick<Context, "io" | "printer" | "values"> {
  readonly origin: string | undefined;
  readonly state: State;
  readonly url: string;
}

async function showTerminal(showing: Showing): Promise<void> {
  const { io, printer, values, origin } = showing;
  const made = await makeCode(showing);
  const { code, url, expiresAt } = made;
  if (printer.json) return printer.data({ ...made, expiresAt: new Date(expiresAt).toISOString() });
  if (values.code || origin !== undefined || url === undefined) return printCode(made, showing);
  if (values.print) return printer.line(url);
  io.openInBrowser(url, ({ message }) =>
    printer.note(
      `The browser could not be opened: ${message}. Open the address yourself: npx pagewire terminal --print`,
    ),
  );
  printer.line(
    `Opens a terminal at ${url.replace(`#code=${code}`, "")} in your browser. If nothing opens: npx pagewire terminal --print`,
  );
}

/** Asks the person first whether terminals may be switched on, if they are off. */
async function makeCode({ io, printer, values, state, url: hub, origin }: Showing): Promise<ShellCode> {
  const ask = async () => askForShellCode(await accessTerminals({ url: hub }, io, state), origin);
  return ask().catch(async (error: unknown) => {
    const managing = { io, printer, state, url: hub };
    if (!PagewireError.isInstance(error) || error.code !== "terminal-unavailable" || !(await areTerminalsOff(managing)))
      throw explainRefusal(error, { hub, running: state.runningHub(), platform: io.platform });
    await switchOnTerminals(managing, values.yes);
    return ask();
  });
}

function printCode({ code, origin }: ShellCode, { printer, url }: Showing): void {
  printer.line(code);
  const where = origin === undefined ? `the terminal page of ${url}` : `pages of ${origin}`;
  printer.note(`Paste it into the form: it is for ${where}, good once, and for ten minutes.`);
}
