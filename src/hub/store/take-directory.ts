import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { takeProcessLock } from "../../state/index.ts";
import type { ProcessLock } from "../../state/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";

/** Makes a directory this process's own; the returned function gives it back. Throws while another process has it. */
export function takeDirectory(directory: string): () => void {
  const lock = lockOf(directory);
  if ("release" in lock) return lock.release;
  const who = `Another hub (process ${lock.holder.pid})`;
  throw new PagewireError("options-invalid", `${who} keeps its conversations in ${directory}. Only one can.`);
}

function lockOf(directory: string): ProcessLock {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return takeProcessLock(resolve(directory, "lock"));
  } catch (error) {
    const message = `The hub's store cannot be kept in ${directory}: ${messageOf(error)}`;
    throw new PagewireError("options-invalid", message, { cause: error });
  }
}
