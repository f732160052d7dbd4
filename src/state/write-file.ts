import { linkSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { systemCode } from "./state-error.ts";

/** Puts a file in place of the one that is there: whoever reads sees the old or the new one, never a part. */
export function replaceFile(path: string, text: string): void {
  const temporary = writeTemporary(path, text);
  renameSync(temporary, path);
}

/** Puts a whole file where there is none; where one appears first, that one stays. */
export function createFile(path: string, text: string): void {
  const temporary = writeTemporary(path, text);
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    unlinkSync(temporary);
  }
}

function writeTemporary(path: string, text: string): string {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
  return temporary;
}
