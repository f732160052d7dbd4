import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file atomically, with access for its owner only. */
export function writeOwnFile(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, path);
}

/** Writes an executable script for /bin/sh. */
export function writeScript(path: string, lines: readonly string[]): void {
  writeOwnFile(path, ["#!/bin/sh", ...lines, ""].join("\n"), 0o700);
}
