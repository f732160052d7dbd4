import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { systemCode } from "./state-error.ts";

export interface Process {
  readonly id: number;
  readonly parent: number;
  readonly terminal: string | undefined;
  /** When it was started, as the system writes it. */
  readonly started: string;
  /** A zombie: it ended, and its parent has not collected its status yet. */
  readonly isZombie?: true;
}

export type FindProcess = (id: number) => Process | undefined;

/** Finds processes on this platform. On Windows, processes do not belong to terminals. */
export function findProcess(platform: string): FindProcess {
  if (platform === "linux") return fromProc;
  return platform === "win32" ? () => undefined : fromTable(listProcesses());
}

function fromProc(id: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, "utf8");
    // The second field is the program's name, which may contain any character.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, parent = "", , , terminal = "0"] = fields;
    return {
      id,
      parent: Number(parent),
      terminal: terminal === "0" ? undefined : terminal,
      started: fields[19] ?? "",
      ...(state === "Z" ? { isZombie: true } : {}),
    };
  } catch {
    return undefined;
  }
}

/** A process. Its start time, if the system reports one, distinguishes it from others with the same number. */
export interface ProcessMark {
  readonly pid: number;
  readonly started?: string | undefined;
}

export function markProcess(pid: number): ProcessMark {
  const started = findProcess(process.platform)(pid)?.started;
  return started === undefined ? { pid } : { pid, started };
}

/** Whether this process is still running, and its number was not reused. */
export function isRunning({ pid, started }: ProcessMark): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It runs, and belongs to another user.
    if (systemCode(error) !== "EPERM") return false;
  }
  const found = findProcess(process.platform)(pid);
  if (found?.isZombie) return false;
  return started === undefined || found === undefined || found.started === started;
}

/** The output of `ps` for all processes. */
export function listProcesses(): string {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,tty=,lstart="], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
    timeout: 5000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Finds processes in the output of `ps`. */
export function fromTable(table: string): FindProcess {
  const found = new Map<number, Process>();
  for (const line of table.split("\n")) {
    const [, id, parent, terminal = "", started = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (id === undefined) continue;
    found.set(Number(id), {
      id: Number(id),
      parent: Number(parent),
      terminal: /^\?+$|^-$/.test(terminal) ? undefined : terminal,
      started: started.replaceAll(/[^A-Za-z0-9]+/g, "-"),
    });
  }
  return (id) => found.get(id);
}
