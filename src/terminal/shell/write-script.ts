import { writeOwnFile } from "./write-own-file.ts";

/** Writes a program for the shell that every system has. */
export function writeScript(path: string, lines: readonly string[]): void {
  writeOwnFile(path, ["#!/bin/sh", ...lines, ""].join("\n"), 0o700);
}
