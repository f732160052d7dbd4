// Groups of processes, which stop and die together.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

/** Kills the group when this process ends, even if it is killed: the guard's stdin ends with it. Then removes the folder. */
export function guardGroup(leader: number, folder: string): ChildProcess {
  const script = 'read -r _; kill -s KILL -- "-$0"; [ -z "$1" ] || rm -rf -- "$1"';
  const guard = spawn("/bin/sh", ["-c", script, String(leader), folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  return guard;
}

/** Does nothing if the group has ended. */
export function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch (error) {
    // The group may end between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
