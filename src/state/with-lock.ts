import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { stateError, systemCode, unusable } from "./state-error.ts";

/** A lock is held for a few milliseconds; one this old was left by a process that died. */
const STALE_TIME = 2000;
const WAIT_TIME = 10;
const WAITS = (2 * STALE_TIME) / WAIT_TIME;

/** Runs a short change of a file while no other process changes it. */
export function withLock<Value>(path: string, change: () => Value): Value {
  const lock = `${path}.lock`;
  for (let tries = 0; !takeLock(lock); tries++) {
    if (tries === WAITS) throw stateError(`The file ${path} is being changed all the time. If not, delete ${lock}.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_TIME);
  }
  try {
    return change();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw unusable("changed", error);
    const stats = statSync(lock, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > STALE_TIME) rmSync(lock, { force: true });
    return false;
  }
}
