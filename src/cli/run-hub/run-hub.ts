// Runs a hub of this user in this process, until it is interrupted.
import { createHub, version } from "../../hub/index.ts";
import { proveHub } from "../../hub-client/index.ts";
import type { Hub, HubOptions, JwtOptions, TeamOptions } from "../../hub/index.ts";
import type { State } from "../../state/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { numberOption, usageError } from "../common/command.ts";
import type { CommandContext, OptionValues } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { askForCode } from "../reach-hub/ask-hub.ts";
import { createInterrupts } from "../console/interrupts.ts";
import type { Interrupts } from "../console/interrupts.ts";
import type { Printer } from "../common/printer.ts";
import { clientSetups } from "../connect/connection.ts";
import { findListener } from "../reach-hub/find-listener.ts";
import { defaultPort, openOwnState } from "../reach-hub/find-hub.ts";
import { printBanner, createHubLog } from "./hub-output.ts";
import type { HubLog } from "./hub-output.ts";
import { hubArguments } from "./hub-run-options.ts";
import type { hubRunOptions } from "./hub-run-options.ts";
import { createHubSettings, createHubSources, requireOrigin } from "./hub-sources.ts";
import { openHubStore } from "./hub-store.ts";
import type { Io } from "../common/io.ts";
import { readJwtOptions, readReachOptions } from "./security-options.ts";
import { readTeamOptions } from "./team-file.ts";
import { hubNameOf, readCluster } from "./read-cluster.ts";
import { readLimits } from "./read-limits.ts";
import { chooseModel } from "./choose-model.ts";
import type { ModelChoice } from "./choose-model.ts";
import { fetchWithoutTimeout } from "../reach-hub/send-over-http.ts";
import { logVariable } from "./hub-starter.ts";
import { mountTerminals } from "./mount-terminals.ts";

export type HubRunValues = OptionValues<typeof hubRunOptions>;

export interface HubRun extends Omit<CommandContext<typeof hubRunOptions>, "positionals"> {
  /** Is called when it listens, and can be found. */
  readonly onReady?: (url: string) => Promise<void>;
}

export async function runHub({ io, printer, values, onReady }: HubRun): Promise<ExitCode> {
  const forTerminals = { klangk: values.klangk, "terminal-fetch": values["terminal-fetch"].length > 0 };
  for (const [name, isGiven] of Object.entries(forTerminals)) {
    if (isGiven && !values.terminal) throw usageError(`--${name} is for terminals: give --terminal too.`);
  }
  const state = openOwnState(io);
  const release = state.holdHub();
  const interrupts = createInterrupts(io);
  try {
    const jwt = readJwtOptions(values);
    const team = readTeamOptions(values, io, state);
    const log = createHubLog({ printer, now: io.now, state });
    const model = await chooseModel({
      model: values.model,
      isUnwanted: values["no-model"],
      isJwtMode: (jwt ?? team) !== undefined,
      chosen: state.chosenModel,
      environment: io.environment,
      fetch: io.fetch,
    });
    const hub = await start({ io, values, jwt, team, model, state, log, printer });
    state.announceHub({
      ...{ url: hub.url, port: hub.port, pid: process.pid, version },
      log: io.environment[logVariable],
      start: { arguments: hubArguments({ ...values, port: String(hub.port) }), folder: process.cwd() },
    });
    try {
      // After Ctrl-C no page should open.
      if (!interrupts.signal.aborted) await present({ io, printer, values, jwt, team, model, state, hub });
      if (!interrupts.signal.aborted) await onReady?.(hub.url);
    } catch (error) {
      await hub.close();
      throw error;
    }
    return await runUntilInterrupted(hub, interrupts, printer);
  } finally {
    interrupts.stop();
    state.forgetHub();
    release();
    state.close();
  }
}

interface Presented extends Omit<Start, "log"> {
  readonly hub: Hub;
}

/** Prints the banner, and opens the hub in the browser with `--open`. */
async function present({ io, printer, values, jwt, team, model, state, hub }: Presented): Promise<void> {
  const { url, demo } = hub;
  const { problem } = hub.health();
  const signIn = async () => (jwt || team ? undefined : signInAt(url, state, printer));
  const code = values["no-code"] ? undefined : await signIn();
  const [name] = values["public-host"];
  const about = {
    url,
    publicUrl: values["behind-proxy"].length > 0 && name !== undefined ? `https://${name}` : undefined,
    signIn: code,
    demo,
    mode: team ? ("team" as const) : jwt ? ("jwt" as const) : ("local" as const),
    hasTerminals: values.terminal,
    model,
    problem,
  };
  printBanner({ ...about, now: io.now() }, printer);
  if (!values.open) return;
  // A code works only once, and the printed one may be for another browser.
  const address = (await signIn()) ?? url;
  io.openInBrowser(address, (error) => printer.note(`The browser could not be opened: ${error.message}`));
}

/** Undefined where no code can be had: a hub that listens is not ended by that. */
async function signInAt(url: string, state: State, printer: Printer): Promise<string | undefined> {
  try {
    const owner = { token: state.shellKey(), secret: "shell" } as const;
    const prove = async (known: typeof owner | { readonly token: string }) =>
      proveHub({ url, ...known, fetch: fetchWithoutTimeout });
    const asOwner = prove(owner).then((hub) => askForCode(hub, { isOwners: true }));
    // A hub that others reach by a public name has no owner over HTTP.
    return (await asOwner.catch(async () => askForCode(await prove({ token: state.agentToken() })))).url;
  } catch (error) {
    printer.note(`Nobody can be signed in at the moment: ${messageOf(error)}`);
    return undefined;
  }
}

interface Start {
  readonly io: Io;
  readonly values: HubRunValues;
  readonly jwt: JwtOptions | undefined;
  readonly team: TeamOptions | undefined;
  readonly model: ModelChoice;
  readonly state: State;
  readonly log: HubLog;
  readonly printer: Printer;
}

async function start({ io, values, jwt, team, model, state, log, printer }: Start): Promise<Hub> {
  const port = portOption("port", values.port) ?? defaultPort;
  const isLocal = (jwt ?? team) === undefined;
  const demo = demoOf(values, !isLocal, port);
  const { shellKey, ...sources } = createHubSources(state, values["allow-origin"], log.problem);
  const limits = readLimits(values.limit);
  const { onChange: onReachChange, ...reach } = readReachOptions(values);
  const shell = await shellOptions({ io, values, isLocal, state }, shellKey);
  // A broken token file is better found now than by the first agent.
  if (isLocal) state.agentToken();
  if (isLocal && values.terminal) state.shellKey();
  try {
    const running = await createHub({
      ...{ port, metricsPort: portOption("metrics-port", values["metrics-port"]) },
      publicHosts: values["public-host"],
      ...reach,
      ...sources,
      onStateChange: joined([sources.onStateChange, onReachChange]),
      ...(jwt === undefined ? {} : { jwt }),
      ...(team === undefined ? {} : { team }),
      ...shell,
      pin: values.pin,
      limits,
      ai: model.ai ?? "none",
      lastRun: state.lastRun(),
      cluster: readCluster(io, values),
      audit: { key: state.auditKey(), contents: auditContents(values["audit-contents"]) },
      store: () =>
        openHubStore({
          io,
          stateDirectory: state.directory,
          database: values.database,
          hub: hubNameOf(io, values),
          limits,
          onProblem: log.problem,
        }),
      settings: createHubSettings(state, model, isLocal ? io.fetch : undefined),
      clients: () => clientSetups(io, state),
      ...(demo === undefined ? {} : { demo }),
      log: log.record,
    });
    if (demo && demo.port !== 0 && running.demo?.endsWith(`:${demo.port}`) === false && !printer.json)
      printer.note(`Port ${demo.port} is taken, so that the demo is at ${running.demo}/.`);
    return running;
  } catch (error) {
    if (!PagewireError.isInstance(error) || error.code !== "address-in-use") throw error;
    throw new PagewireError("address-in-use", await describeListener(port), { cause: error });
  }
}

/** Terminals from the start, or, in a hub of this user's on this machine alone, once `pagewire terminal` asks for them. */
async function shellOptions(
  { io, values, isLocal, state }: Pick<Start, "io" | "values" | "state"> & { readonly isLocal: boolean },
  key: () => string,
): Promise<Pick<HubOptions, "shell">> {
  const load = () => mountTerminals({ io, state, klangk: values.klangk });
  const fetchOrigins = values["terminal-fetch"].map(requireOrigin);
  if (values.terminal) return { shell: { mount: await load(), fetchOrigins, ...(isLocal ? { key } : {}) } };
  return isLocal && values["public-host"].length === 0 ? { shell: { load, key } } : {};
}

type Listen = (listener: () => void) => () => void;

function joined(all: readonly Listen[]): Listen {
  return (listener) => {
    const stops = all.map((listen) => listen(listener));
    return () => stops.forEach((stop) => stop());
  };
}

function auditContents(names: readonly string[]): readonly string[] | "all" {
  return names.includes("all") ? "all" : names;
}

/** The demo's port. In jwt mode the command cannot sign a token for it. */
function demoOf(values: Start["values"], isJwtMode: boolean, hubPort: number): { port: number } | undefined {
  const given = portOption("demo-port", values["demo-port"]);
  if (given !== undefined && isJwtMode) throw usageError("--demo-port is not for jwt mode, which has no demo.");
  if (given !== undefined && values["no-demo"]) throw usageError("Write either --demo-port or --no-demo, not both.");
  if (isJwtMode || values["no-demo"]) return undefined;
  return { port: given ?? (hubPort === 0 || hubPort === 65_535 ? 0 : hubPort + 1) };
}

function portOption(name: string, text: string | undefined): number | undefined {
  return numberOption(name, text, { min: 0, max: 65_535, isWhole: true });
}

async function describeListener(port: number): Promise<string> {
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
