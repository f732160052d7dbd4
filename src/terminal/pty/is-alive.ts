import { systemCode } from "../system-code.ts";

/** Whether there is a process with this id. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // One of somebody else's may not be asked.
    return systemCode(error) === "EPERM";
  }
}
