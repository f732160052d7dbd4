import type { State, HubInfo } from "../../state/index.ts";
import { accessTerminals } from "../reach-hub/access-hub.ts";
import { askForShellCode } from "../reach-hub/ask-for-code.ts";
import type { ShellCode } from "../reach-hub/ask-for-code.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import type { CommandContext, OptionSpecs, OptionValues } from "../common/command.ts";
import { askHealth } from "../reach-hub/ask-health.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { namedHub, openOwnState } from "../reach-hub/find-hub.ts";
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
  ...startOptions,
  ...hubOptions,
} as const satisfies OptionSpecs;

type Context = CommandContext<typeof options>;

export const terminal = defineCommand({
  name: "terminal",
  summary: "Open a terminal in the browser; its programs act in its tab.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options,
  notes: [
    "A terminal is a shell of whoever runs the hub. Where no hub runs, one is started with terminals on, in this process, until Ctrl-C; the options of `pagewire hub` that are named here are for that one. A hub that runs without terminals has to be started again: npx pagewire hub --terminal",
    "The address holds a code that lets in whoever opens it first: it is good once, and for ten minutes. The browser may open terminals for 30 days, until it signs out, or until the shell key is changed: npx pagewire token rotate --shell",
    "The browser is started with that address, which other users of this machine can see for a moment. If there are any that you do not trust, open it yourself: npx pagewire terminal --print",
    "An app's own page that shows a terminal asks for a code. Its origin has to be allowed, and the code is good in its pages alone.",
    "In jwt mode, put your token for the audience pagewire:terminal into PAGEWIRE_SHELL_KEY. With --json the code is printed, and nothing is opened.",
  ],
  examples: ["pagewire terminal", "pagewire terminal --print", "pagewire terminal --for http://localhost:5173"],
  run,
});

async function run(context: Context): Promise<ExitCode> {
  const { io, values } = context;
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

/** The hub that was named, else the one that runs here. */
async function hubOf(given: string | undefined, io: Io, state: State): Promise<string | undefined> {
  const named = namedHub(given, io, state);
  if (named !== undefined) return named;
  const running = state.runningHub()?.url;
  // The announcement may be of a hub that has ended.
  return running !== undefined && (await askHealth(running)) === "hub" ? running : undefined;
}

function startHub({ io, printer, values }: Context, onReady: (url: string) => Promise<void>): Promise<ExitCode> {
  const jwt = { "jwt-secret-file": undefined, jwks: undefined, issuer: undefined };
  const rest = {
    host: undefined,
    "tls-cert": undefined,
    "tls-key": undefined,
    "behind-proxy": [],
    insecure: false,
    database: undefined,
    "public-host": [],
    "audit-contents": [],
    pin: false,
    terminal: true,
    open: false,
    "no-code": false,
  };
  return runHub({ io, printer, values: { ...values, ...jwt, ...rest }, onReady });
}

/** Refuses options for starting a hub where one runs already: they would be ignored. */
function refuseStartOptions(values: OptionValues<typeof options>, hub: string): void {
  const name = (Object.keys(startOptions) as (keyof typeof startOptions)[]).find((each) => {
    const value = values[each];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
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
  const { io, printer, values, origin, state, url: hub } = showing;
  const made = await makeCode(showing).catch((error: unknown) => {
    throw explainRefusal(error, { hub, running: state.runningHub(), platform: io.platform });
  });
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

async function makeCode({ io, state, url, origin }: Showing): Promise<ShellCode> {
  return askForShellCode(await accessTerminals(url, io, state), origin);
}

function printCode({ code, origin }: ShellCode, { printer, url }: Showing): void {
  printer.line(code);
  const where = origin === undefined ? `the terminal page of ${url}` : `pages of ${origin}`;
  printer.note(`Paste it into the form: it is for ${where}, good once, and for ten minutes.`);
}
