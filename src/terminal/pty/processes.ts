// Lists and ends the processes of terminals. Uses `ps`, which has the same options on Linux and macOS.
import { execFile } from "node:child_process";
import type { Clock } from "../../link/index.ts";
import { systemCode } from "../shell/system-code.ts";

/** Grace period between SIGHUP and SIGKILL. */
const gracePeriod = 2000;
const pollInterval = 50;

export interface ProcessOptions {
  readonly clock: Clock;
  readonly list?: () => Promise<string | undefined>;
  readonly signal?: (pid: number, signal: "SIGHUP" | "SIGKILL") => void;
}

interface Process {
  readonly pid: number;
  /** Distinguishes it from a later process with the same id. */
  readonly group: number;
  readonly device: string;
}

/** Ends programs, and every process that uses one of these devices: gracefully first, then by force. */
export async function endProcesses(
  programs: readonly number[],
  devices: readonly string[],
  { clock, list = listProcesses, signal = send }: ProcessOptions,
): Promise<void> {
  const names = devices.map((device) => device.replace(/^\/dev\//, ""));
  const isOurs = ({ pid, device }: Process) => programs.includes(pid) || names.includes(device);
  const ours = parseProcesses(await list())?.filter(isOurs);
  for (const pid of new Set([...programs, ...(ours ?? []).map((each) => each.pid)])) signal(pid, "SIGHUP");
  const end = clock.now() + gracePeriod;
  for (;;) {
    // Processes that lost their shell have no device.
    const living = parseProcesses(await list());
    const isLeft = ({ pid, group }: Process) => living?.some((each) => each.pid === pid && each.group === group);
    const left = ours && living ? ours.filter(isLeft).map(({ pid }) => pid) : programs.filter(isAlive);
    if (left.length === 0) return;
    if (clock.now() >= end) return left.forEach((pid) => signal(pid, "SIGKILL"));
    await new Promise<void>((resolve) => void clock.after(pollInterval, resolve));
  }
}

/** Undefined if there is no `ps`. Leaves out zombies. */
function parseProcesses(text: string | undefined): readonly Process[] | undefined {
  const rows = text?.split("\n").map((line) => line.trim().split(/\s+/));
  const living = rows?.filter(([, , state = "Z"]) => !state.startsWith("Z"));
  return living?.map(([pid, group, , device = ""]) => ({ pid: Number(pid), group: Number(group), device }));
}

function listProcesses(): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      "ps",
      ["-A", "-o", "pid=,pgid=,stat=,tty="],
      { maxBuffer: 64 * 1024 * 1024, timeout: 5000 },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}

function send(pid: number, signal: "SIGHUP" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already exited.
  }
}

/** Whether there is a process with this id. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Processes of another user may not be signalled, but exist.
    return systemCode(error) === "EPERM";
  }
}
