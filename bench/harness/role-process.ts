// A server or a page in a process of its own, asked over IPC what it has used so far.
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Load, LoadFigures, Memory, Parameters, Question, RoleName, Started } from "./role.ts";

export interface RoleProcess {
  readonly pid: number;
  readonly started: Started;
  /** Its user and system time so far, in µs. */
  cpu(): Promise<number>;
  /** The CPU time of its main thread only. */
  mainThreadCpu(): Promise<number>;
  memory(): Promise<Memory>;
  /**
   * The longest time, in ms, that its event loop could do nothing else, since it was asked before, or since it started.
   */
  longestStall(): Promise<number>;
  /** Does its work once; returns the time that it took, in µs. */
  work(): Promise<number>;
  /** Makes calls. The process ends when one does not end well. */
  load(load: Load): Promise<LoadFigures>;
  close(): Promise<void>;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
}

const script = fileURLToPath(new URL("process.js", import.meta.url));

/**
 * Starts a role, and resolves when it is ready. With a folder for them, CPU profiles of its threads are written at its
 * end.
 */
export async function startRole(role: RoleName, parameters: Parameters = {}, profile?: string): Promise<RoleProcess> {
  const child = fork(script, [role, JSON.stringify(parameters)], {
    execArgv: ["--expose-gc", ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`])],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const started = (await nextMessage(child, role)) as Started;
  const ask = (question: Question) => {
    child.send(question);
    return nextMessage(child, role);
  };

  return {
    pid: child.pid ?? 0,
    started,
    cpu: () => ask("cpu") as Promise<number>,
    mainThreadCpu: () => ask("main-thread-cpu") as Promise<number>,
    memory: () => ask("memory") as Promise<Memory>,
    longestStall: () => ask("longest-stall") as Promise<number>,
    work: () => ask("work") as Promise<number>,
    load: (load) => ask(load) as Promise<LoadFigures>,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      await ended;
    },
    async kill() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function nextMessage(child: ChildProcess, role: RoleName): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off("exit", onExit);
      resolve(message);
    };
    const onExit = (code: number | null) => {
      child.off("message", onMessage);
      reject(new Error(`The process "${role}" ended with ${code}: see its message above.`));
    };
    child.once("message", onMessage);
    child.once("exit", onExit);
  });
}
