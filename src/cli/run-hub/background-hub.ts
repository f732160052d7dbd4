// The hub of this user as a process of its own: starts one in the background, and stops the one that runs.
import type { HubInfo, State } from "../../state/index.ts";
import { isHubHeld } from "../../state/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { CommandContext } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import type { Io } from "../common/io.ts";
import type { Printer } from "../common/printer.ts";
import { createInterrupts } from "../console/interrupts.ts";
import { systemWaiting } from "../mcp/upstream/wait.ts";
import { askHealth } from "../reach-hub/ask-health.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";
import { hubArguments } from "./hub-run-options.ts";
import type { hubRunOptions } from "./hub-run-options.ts";
import { createHubStarter } from "./hub-starter.ts";

/** A command that starts or stops a hub. */
export interface HubControl {
  readonly io: Io;
  readonly printer: Printer;
  readonly state: State;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Runs a command that starts or stops a hub; a second Ctrl-C does not wait for it. */
export async function controlHub(
  { io, printer }: Pick<CommandContext, "io" | "printer">,
  control: (given: HubControl) => Promise<void>,
): Promise<ExitCode> {
  const state = openOwnState(io);
  const interrupts = createInterrupts(io);
  try {
    const done = control({ io, printer, state, signal: interrupts.signal }).then((): ExitCode => 0);
    return await Promise.race([done, interrupts.again.then((): ExitCode => 130)]);
  } finally {
    interrupts.stop();
    state.close();
  }
}

/** `pagewire hub --background`. */
export function runInBackground(context: CommandContext<typeof hubRunOptions>): Promise<ExitCode> {
  return controlHub(context, async (control) => {
    const running = control.state.runningHub();
    if (running) throw new PagewireError("address-in-use", alreadyRuns(running));
    reportStart(await startHub(control, { arguments: hubArguments(context.values), folder: process.cwd() }), control);
  });
}

/** Resolves with the hub that runs once it answers. */
export async function startHub({ io, state, signal }: HubControl, start: NonNullable<HubInfo["start"]>) {
  const answering = async (): Promise<HubInfo | undefined> => {
    const hub = state.runningHub();
    return hub && (await askHealth(hub.url)) === "hub" ? hub : undefined;
  };
  const starter = createHubStarter({
    program: process.argv[1] ?? "",
    args: start.arguments,
    folder: start.folder,
    directory: state.directory,
    environment: io.environment,
    waiting: systemWaiting,
    signal,
    isThere: async () => (await answering()) !== undefined,
    note: () => {},
  });
  await starter.start();
  const hub = await answering();
  if (hub) return hub;
  throw new PagewireError("hub-unreachable", "The hub ended as soon as it had started. See: npx pagewire logs");
}

export function reportStart(hub: HubInfo, { printer }: Pick<HubControl, "printer">): void {
  const { url, pid, log } = hub;
  if (printer.json) return printer.data({ url, pid, log });
  printer.line(`Pagewire runs in the background at ${url} (process ${pid}).`);
  printer.note(
    printer.err.dim("Open the assistant: npx pagewire open. Its log: npx pagewire logs. End it: npx pagewire stop"),
  );
}

const pollInterval = 50;
/** Longer than a hub lets running calls finish by default. */
const stopTimeout = 60_000;

/** Asks the hub to stop and resolves when its process has let go of the state directory. */
export async function stopHub(hub: HubInfo, control: HubControl, isUrgent: boolean): Promise<void> {
  const { printer, state, signal } = control;
  signalProcess(hub);
  if (!isUrgent && !printer.json)
    printer.note(printer.err.dim("Stopping. Running calls may finish, for up to 30 seconds; Ctrl-C stops at once."));
  const until = systemWaiting.now() + stopTimeout;
  let isHurried = false;
  while (isHubHeld(state.directory)) {
    // A second signal ends running calls.
    if (!isHurried && (isUrgent || signal.aborted)) isHurried = signalProcess(hub);
    if (systemWaiting.now() > until)
      throw new PagewireError("internal-error", `The hub does not stop. End its process: kill -9 ${hub.pid}`);
    await systemWaiting.pause(pollInterval, never);
  }
}

const never = new AbortController().signal;

/** Returns whether the process could be signalled; it may have ended. */
function signalProcess({ pid }: HubInfo): boolean {
  try {
    process.kill(pid, "SIGTERM");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw new PagewireError("internal-error", `Process ${pid} cannot be stopped: ${messageOf(error)}`);
  }
}

function alreadyRuns({ url, pid }: HubInfo): string {
  return `A hub already runs at ${url} (process ${pid}). Use that hub, or end it first: npx pagewire stop`;
}
