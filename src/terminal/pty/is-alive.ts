import { systemCode } from "../shell/system-code.ts";

/** Whether there is a process with this id. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Processes of another user may not be signalled, but exist.
    return systemCode(error) === "EPERM";
  }
}
