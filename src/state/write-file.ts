import { linkSync, renameSync, rmSync, writeFileSync, readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { systemCode, unusable } from "./state-error.ts";

/** Replaces a file atomically. */
export function replaceFile(path: string, text: string): void {
  putFile(path, text, (temporary) => renameSync(temporary, path));
}

/** Creates a file at once with its whole text; does not replace one that exists. */
export function createFile(path: string, text: string): void {
  putFile(path, text, (temporary) => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  });
}

/** Writes the text to a temporary file, which is removed if it cannot be moved into place. */
function putFile(path: string, text: string, put: (temporary: string) => void): void {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    put(temporary);
  } catch (error) {
    throw unusable("changed", error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The file's text; undefined if there is no file. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw unusable("read", error);
  }
}
