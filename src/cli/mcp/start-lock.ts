import { join } from "node:path";
import { takeProcessLock } from "../../state/index.ts";

/** Takes the right to start a hub, which one process at a time has; returns the function that gives it back. */
export function takeStartLock(directory: string): (() => void) | undefined {
  const lock = takeProcessLock(join(directory, "hub-start.lock"));
  return "release" in lock ? lock.release : undefined;
}
