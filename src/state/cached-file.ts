import { statSync } from "node:fs";
import type { Stats } from "node:fs";
import { messageOf } from "../wire/index.ts";
import { readText } from "./write-file.ts";
import { systemCode, unusable } from "./state-error.ts";

/** How often a file is looked at. Watching by the system misses files that are replaced, and is missing on some disks. */
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

/** A file whose meaning is worked out again only when the file is another one than before. */
export interface CachedFile<Value> {
  /** The file's meaning; undefined where there is no file. */
  read(): Value | undefined;
  /** Differs whenever the file does. */
  signature(): string;
  /** It was removed on purpose: it is not there from now on. */
  forget(): void;
}

/** More than any file of the state may grow to. */
const mostBytes = 16 * 1024 * 1024;

export interface CachedFileOptions {
  /** So long, in milliseconds, a file that is missing counts as it was. */
  readonly missingTime?: number;
  readonly now?: () => number;
}

/** For what people write: some editors take a file away before they put the new one there. */
export const edited: CachedFileOptions = { missingTime: 500 };

/** Reads one file; `parse` may throw, and is asked again every time until it does not. */
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
      // It went away between the two looks, or is about to come back.
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

/** Refuses what could not be read to its end. */
function requireReadable(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unusable("read", new Error(`${path} is no file`));
  if (stats.size > mostBytes) throw unusable("read", new Error(`${path} has more than ${mostBytes} bytes`));
}

function signatureOf(stats: Stats | undefined): string {
  return stats === undefined ? "" : [stats.ino, stats.mtimeMs, stats.ctimeMs, stats.size, stats.mode].join(" ");
}
