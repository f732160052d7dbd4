import { statSync } from "node:fs";
import type { Stats } from "node:fs";
import { messageOf } from "../wire/index.ts";
import { readText } from "./write-file.ts";
import { systemCode, unusable } from "./state-error.ts";

/** Poll interval, in milliseconds. The system's file watchers miss replaced files, and some disks have none. */
const pollTime = 300;

/** Calls back whenever the signature is another one. Does not keep the process alive. */
export function watchSignature(signature: () => string, onChange: () => void): () => void {
  let last = signature();
  const timer = setInterval(() => {
    const now = signature();
    if (now === last) return;
    last = now;
    onChange();
  }, pollTime);
  timer.unref();
  return () => clearInterval(timer);
}

/** Calls back whenever one of these files is another one than before, or is not there any more. */
export function watchFiles(paths: readonly string[], onChange: () => void): () => void {
  const files = paths.map((path) => createCachedFile(path, () => undefined));
  return watchSignature(() => files.map((file) => file.signature()).join("\n"), onChange);
}

/** A file that is parsed again only when it has changed. */
export interface CachedFile<Value> {
  /** The file's meaning; undefined where there is no file. */
  read(): Value | undefined;
  /** Differs whenever the file does. */
  signature(): string;
  /** It was removed on purpose: it is not there from now on. */
  forget(): void;
}

/** Max size; no file of the state grows larger. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface CachedFileOptions {
  /** How long a missing file still counts as unchanged, in milliseconds. */
  readonly missingTime?: number;
  readonly now?: () => number;
}

/** For files that people edit: some editors remove a file before they write the new one. */
export const edited: CachedFileOptions = { missingTime: 500 };

/** Reads one file; if `parse` throws, it is called again for each read until it succeeds. */
export function createCachedFile<Value>(
  path: string,
  parse: (text: string, stats: Stats) => Value,
  { missingTime = 0, now = () => performance.now() }: CachedFileOptions = {},
): CachedFile<Value> {
  let cached: { readonly signature: string; readonly value: Value } | undefined;
  let seen: Stats | undefined;
  let missingSince: number | undefined;

  function look(): Stats | undefined {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) {
      missingSince = undefined;
      return (seen = stats);
    }
    if (seen === undefined) return undefined;
    missingSince ??= now();
    if (now() - missingSince >= missingTime) forget();
    return seen;
  }

  function forget(): void {
    seen = undefined;
    missingSince = undefined;
    cached = undefined;
  }

  function read(): Value | undefined {
    const stats = lookOrThrow();
    if (stats === undefined) return undefined;
    const signature = signatureOf(stats);
    if (cached?.signature !== signature) {
      requireReadable(path, stats);
      const text = readText(path);
      // It was removed between `stat` and `read`, or is being replaced.
      if (text === undefined) return cached?.value;
      cached = { signature, value: parse(text, stats) };
    }
    return cached.value;
  }

  function lookOrThrow(): Stats | undefined {
    try {
      return look();
    } catch (error) {
      throw unusable("read", error);
    }
  }

  function signature(): string {
    try {
      return signatureOf(look());
    } catch (error) {
      // A failure to stat is a state of the file too; the reader gets the error.
      return systemCode(error) ?? messageOf(error);
    }
  }

  return { read, signature, forget };
}

/** Refuses a file that cannot be read completely. */
function requireReadable(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unusable("read", new Error(`${path} is no file`));
  if (stats.size > MAX_BYTES) throw unusable("read", new Error(`${path} has more than ${MAX_BYTES} bytes`));
}

function signatureOf(stats: Stats | undefined): string {
  return stats === undefined ? "" : [stats.ino, stats.mtimeMs, stats.ctimeMs, stats.size, stats.mode].join(" ");
}
