// The right to start a hub: one process at a time has it, and it is free again when that process ends, however it ends.
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A start is over long before; a process of this number that is still there is another one. */
const STALE_TIME = 60_000;

/** Takes the right, if nobody has it; returns the function that gives it back. */
export function takeStartLock(directory: string): (() => void) | undefined {
  const path = join(directory, "hub-start.lock");
  const mine = `${process.pid}\n`;
  try {
    writeFileSync(path, mine, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Whoever looks next can have it. Should two take it at once, only one of their hubs gets the port.
    if (isStale(path)) rmSync(path, { force: true });
    return undefined;
  }
  return () => {
    if (read(path) === mine) rmSync(path, { force: true });
  };
}

function isStale(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (Date.now() - stats.mtimeMs > STALE_TIME) return true;
  const owner = Number(read(path));
  // Between being made and being written it is empty.
  return owner > 0 && !isRunning(owner);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return "";
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
