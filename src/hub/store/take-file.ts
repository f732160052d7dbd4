import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { takeProcessLock } from "../../state/index.ts";
import { PagewireError } from "../../wire/index.ts";

/**
 * Makes a database's file this process's own; the returned function gives it back. Throws a named error while another
 * process has it, and what the system says where it cannot be taken.
 */
export function takeFile(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = takeProcessLock(`${path}.lock`);
  if ("release" in lock) return lock.release;
  throw new FileHeld(
    "options-invalid",
    `Another hub (process ${lock.holder.pid}) has the database ${path}. Only one can: stop it, or give this one another database.`,
  );
}

/** Another process has the file. */
export class FileHeld extends PagewireError {}
