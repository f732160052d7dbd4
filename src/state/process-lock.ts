// Gives one process exclusive use of a resource. The lock ends with the process, however that ends, even if another
// process has the same number by then.
import { rmSync, closeSync, openSync, statSync } from "node:fs";
import { isJsonObject, parseJson } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { isRunning, markProcess } from "./processes.ts";
import type { ProcessMark } from "./processes.ts";
import { readText, replaceFile } from "./write-file.ts";
import { stateError, systemCode, unusable } from "./state-error.ts";

/** A lock is held for a few milliseconds; one this old was left by a process that died. */
const staleTime = 2000;
const waitTime = 10;
const WAITS = (2 * staleTime) / waitTime;

/** Runs a short change of a file while no other process changes it. */
export function withLock<Value>(path: string, change: () => Value): Value {
  const lock = `${path}.lock`;
  for (let tries = 0; !takeLock(lock); tries++) {
    if (tries === WAITS) throw stateError(`The file ${path} is being changed all the time. If not, delete ${lock}.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitTime);
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
    if (stats !== undefined && Date.now() - stats.mtimeMs > staleTime) rmSync(lock, { force: true });
    return false;
  }
}

export interface LockHolder extends ProcessMark {
  /** As ISO time. */
  readonly since?: string | undefined;
}

/** A lock that was acquired, or its current holder. */
export type ProcessLock = { readonly release: () => void } | { readonly holder: LockHolder };

/** Locks of this process: in a container, an earlier process may have had the same number. */
const held = new Set<string>();

/** Acquires the lock in this file, unless a running process holds it. */
export function takeProcessLock(path: string): ProcessLock {
  return withLock(path, () => {
    const holder = lockHolder(path);
    if (holder !== undefined) return { holder };
    const mine = `${JSON.stringify({ ...markProcess(process.pid), since: new Date().toISOString() })}\n`;
    replaceFile(path, mine);
    held.add(path);
    return {
      release() {
        if (held.delete(path) && readText(path) === mine) rmSync(path, { force: true });
      },
    };
  });
}

/** The process that has a lock; undefined where none has, or the one that had it has ended. */
export function lockHolder(path: string): LockHolder | undefined {
  const holder = parseHolder(readText(path) ?? "");
  if (holder === undefined || !isRunning(holder)) return undefined;
  return holder.pid === process.pid && !held.has(path) ? undefined : holder;
}

function parseHolder(text: string): LockHolder | undefined {
  const value = parseJson(text, 2);
  const { pid, started, since }: JsonObject = isJsonObject(value) ? value : { pid: value ?? null };
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return undefined;
  const textOf = (field: unknown) => (typeof field === "string" ? field : undefined);
  return { pid, started: textOf(started), since: textOf(since) };
}
