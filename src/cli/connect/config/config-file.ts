// One file of a client's: read as text, and replaced at once or not at all.
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { dirname, resolve } from "node:path";
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
 * Puts the text in place of what was read before. A link stays a link, the file keeps its mode and its owner, and
 * nobody ever sees a part of it. A file that changed since it was read is left alone.
 */
export function replaceConfigFile(path: string, before: string | undefined, text: string): void {
  try {
    const target = followLinks(path);
    mkdirSync(dirname(target), { recursive: true });
    putFile(target, text, () => {
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

/** Where a path ends, also when the last link leads to a file that is not there yet. */
function followLinks(path: string, links = 0): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() !== true) return path;
  if (links > 40) throw new Error("its links lead nowhere");
  return followLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)), links + 1);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
