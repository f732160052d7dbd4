// The identity of ordinary terminals that are attached to a tab: one file each, in the folder `terminals`. This module
// knows only the files; callers find out in which terminal a program runs.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { readText, replaceFile } from "./write-file.ts";
import { stateError, unusable } from "./state-error.ts";

export interface TerminalRecord {
  /** The `browser_id` of its programs. */
  readonly browserId: string;
  /** Its id at the hub, once it is registered there. */
  readonly terminal?: string;
  readonly token?: string;
  readonly url?: string;
}

export interface TerminalFiles {
  /** Throws where the file is open to others or broken. */
  read(name: string): TerminalRecord | undefined;
  write(name: string, record: TerminalRecord): void;
  names(): readonly string[];
  remove(name: string): void;
}

/** The files of the terminals of one state directory, which need not be there. */
export function createTerminalFiles(directory: string): TerminalFiles {
  const folder = join(directory, "terminals");
  const pathOf = (name: string) => join(folder, `${name}.json`);
  return {
    read(name) {
      const path = pathOf(name);
      const text = readText(path);
      if (text === undefined) return undefined;
      // Windows has no such modes; there, the user's own folder is closed to others.
      if (process.platform !== "win32" && ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
        throw stateError(`The file ${path} is open to others, who may know the token in it. ${next}`);
      return parseRecord(path, text);
    },
    write(name, record) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
      } catch (error) {
        throw unusable("changed", error);
      }
      replaceFile(pathOf(name), `${JSON.stringify(record, null, 2)}\n`);
    },
    names() {
      try {
        return readdirSync(folder).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []));
      } catch {
        return [];
      }
    },
    remove(name) {
      try {
        rmSync(pathOf(name), { force: true });
      } catch (error) {
        throw unusable("changed", error);
      }
    },
  };
}

const next = "Delete it, and attach this terminal again with: npx pagewire attach-browser <id>";

function parseRecord(path: string, text: string): TerminalRecord {
  const { browserId, ...more }: JsonObject = parseJsonObject(text, 2) ?? {};
  const { terminal, token, url } = more;
  if (typeof browserId !== "string" || ![terminal, token, url].every(isMaybeText))
    throw stateError(`The file ${path} does not say which terminal this is. ${next}`);
  return { browserId, ...(more as Omit<TerminalRecord, "browserId">) };
}

function isMaybeText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
