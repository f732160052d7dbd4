import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { PagewireError, messageOf } from "../../wire/index.ts";

/** Those that this process holds: after a restart in a container, an old one may have had the same process id. */
const held = new Set<string>();

/** Makes a directory this process's own; the returned function gives it back. Throws while another process has it. */
export function takeDirectory(directory: string): () => void {
  const lock = resolve(directory, "lock");
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!putLock(lock)) {
      const owner = ownerOf(lock);
      if (owner !== undefined) throw taken(directory, owner);
      rmSync(lock, { force: true });
      if (!putLock(lock)) throw taken(directory, ownerOf(lock));
    }
  } catch (error) {
    if (PagewireError.isInstance(error)) throw error;
    const message = `The hub's store cannot be kept in ${directory}: ${messageOf(error)}`;
    throw new PagewireError("options-invalid", message, { cause: error });
  }
  held.add(lock);
  return () => {
    if (held.delete(lock)) rmSync(lock, { force: true });
  };
}

function putLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** The process that has it; undefined when that one has ended. */
function ownerOf(lock: string): number | undefined {
  const owner = Number(readFileSync(lock, "utf8"));
  if (owner === process.pid) return held.has(lock) ? owner : undefined;
  return Number.isInteger(owner) && owner > 0 && isRunning(owner) ? owner : undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function taken(directory: string, owner: number | undefined): PagewireError {
  const who = owner === undefined ? "Another hub" : `Another hub (process ${owner})`;
  return new PagewireError("options-invalid", `${who} keeps its conversations in ${directory}. Only one can.`);
}
