// One file of a client's: read as text, and replaced at once or not at all.
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { messageOf } from "../../../wire/index.ts";
import { usageError } from "../../command.ts";

/** What a file holds; undefined where there is none. Throws, naming the file, where it cannot be read as text. */
export function readConfigFile(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw usageError(`The file ${path} cannot be read: ${messageOf(error)}. It was left as it is.`);
  }
}

/**
 * Puts the text in place of what was read before. The file, which must be no link, keeps its mode and its owner, and
 * nobody ever sees a part of it. One that changed since it was read is left alone.
 */
export function replaceConfigFile(path: string, before: string | undefined, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    putFile(path, text, () => {
      if (readConfigFile(path) !== before) throw new Error("another program has just changed it; try again");
    });
  } catch (error) {
    throw usageError(`The file ${path} cannot be written: ${messageOf(error)}. It was left as it is.`);
  }
}

/** Writes the text beside the file, and puts it in its place if nothing speaks against it at the last moment. */
function putFile(target: string, text: string, check: () => void): void {
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const old = statSync(target, { throwIfNoEntry: false });
    writeFileSync(temporary, text, { flag: "wx", mode: old?.mode ?? 0o666, flush: true });
    if (old !== undefined) keepOwner(temporary, old);
    check();
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function keepOwner(
  temporary: string,
  old: { readonly mode: number; readonly uid: number; readonly gid: number },
): void {
  const { uid, gid } = statSync(temporary);
  if (uid !== old.uid || gid !== old.gid) chownSync(temporary, old.uid, old.gid);
  // What a process may write is narrowed by its mask, and chown takes bits away.
  chmodSync(temporary, old.mode & 0o7777);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
