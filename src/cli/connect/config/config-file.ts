// One file of a client's: found through its links, read as text, and replaced atomically.
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { messageOf } from "../../../wire/index.ts";
import { usageError } from "../../common/command.ts";

/** A file to write, and the folder that it must be in once its links are followed. */
export interface Bounded {
  readonly path: string;
  readonly folder: string;
  /** The folder's owner, for the message. */
  readonly owner: string;
}

/**
 * Resolves the links in a path. Throws if they leave the folder: a repository may contain links to any file of its
 * user.
 */
export function realFileIn({ path, folder, owner }: Bounded): string {
  const file = realPathOf(path);
  const way = relative(realPathOf(folder), file);
  if (way.split(sep)[0] !== ".." && !isAbsolute(way)) return file;
  throw usageError(
    `The file ${path} is a link to ${file}, which is outside of ${owner}, ${folder}. Nothing was written. If that is where it belongs, put it in there by hand: leave out --write to see what.`,
  );
}

/** Follows a path's links part by part, also to a file that does not exist yet. */
export function realPathOf(path: string, links = 0): string {
  const folder = dirname(path);
  if (folder === path) return path;
  const here = join(realPathOf(folder, links), basename(path));
  if (lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return here;
  if (links > 40) throw usageError(`The links of ${path} lead nowhere.`);
  return realPathOf(resolve(dirname(here), readlinkSync(here)), links + 1);
}

/** The file's text; undefined where there is no file. Throws, naming the file, where it cannot be read as text. */
export function readConfigFile(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw usageError(`The file ${path} cannot be read: ${messageOf(error)}. It was left as it is.`);
  }
}

/** Replaces a file, which must not be a link; keeps its mode and owner. Throws if it changed since it was read. */
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
  // The umask and chown both remove mode bits.
  chmodSync(temporary, old.mode & 0o7777);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
