import { statSync } from "node:fs";
import type { Stats } from "node:fs";
import { messageOf } from "../wire/index.ts";
import { readText } from "./read-text.ts";
import { systemCode, unusable } from "./state-error.ts";

/** A file whose meaning is worked out again only when the file is another one than before. */
export interface CachedFile<Value> {
  /** The file's meaning; undefined where there is no file. */
  read(): Value | undefined;
  /** Differs whenever the file does. */
  signature(): string;
}

/** Reads one file; `parse` may throw, and is asked again every time until it does not. */
export function createCachedFile<Value>(path: string, parse: (text: string, stats: Stats) => Value): CachedFile<Value> {
  let cached: { readonly signature: string; readonly value: Value } | undefined;

  function read(): Value | undefined {
    const stats = lookAt(path);
    if (stats === undefined) return undefined;
    const signature = signatureOf(stats);
    if (cached?.signature !== signature) {
      const text = readText(path);
      // It went away between the two looks.
      if (text === undefined) return undefined;
      cached = { signature, value: parse(text, stats) };
    }
    return cached.value;
  }

  function signature(): string {
    try {
      return signatureOf(statSync(path, { throwIfNoEntry: false }));
    } catch (error) {
      // Not being able to look is a state of the file too; whoever reads it will be told why.
      return systemCode(error) ?? messageOf(error);
    }
  }

  return { read, signature };
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unusable("read", error);
  }
}

function signatureOf(stats: Stats | undefined): string {
  return stats === undefined ? "" : [stats.ino, stats.mtimeMs, stats.ctimeMs, stats.size, stats.mode].join(" ");
}
