// Records of terminals with a shell, and their owners. They outlive the hub, as shells in tmux do.
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseJsonObject } from "../../wire/index.ts";
import { systemCode } from "./system-code.ts";
import { writeOwnFile } from "./shell-scripts.ts";

/** An open shell, of this hub or another. */
export interface ShellRecord {
  readonly principal: string;
  readonly inTmux: boolean;
  /** The process id of the hub that last opened it. */
  readonly hub: number;
}

export interface ShellRecords {
  /** The folder for exit codes. */
  readonly folder: string;
  /** By the ids of their terminals. */
  all(): ReadonlyMap<string, ShellRecord>;
  put(id: string, record: ShellRecord): void;
  /** The recorded exit code of a shell, if any. */
  exitCode(id: string): number | undefined;
  remove(id: string): void;
}

/** Checked before an id becomes part of a file name. */
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

export function createShellRecords(stateDirectory: string): ShellRecords {
  const folder = join(stateDirectory, "terminal", "shells");
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  function path(id: string, ending: string): string {
    if (!idPattern.test(id)) throw new TypeError(`The id "${id}" cannot be a part of a file's name.`);
    return join(folder, `${id}.${ending}`);
  }

  return {
    folder,
    all() {
      const found = new Map<string, ShellRecord>();
      for (const name of readdirSync(folder)) {
        const id = name.replace(/\.json$/, "");
        if (id === name || !idPattern.test(id)) continue;
        const record = parseRecord(readText(path(id, "json")));
        if (record) found.set(id, record);
      }
      return found;
    },
    put(id, record) {
      writeOwnFile(path(id, "json"), JSON.stringify(record));
    },
    exitCode(id) {
      const code = readText(path(id, "exit")).trim();
      return /^\d{1,3}$/.test(code) ? Number(code) & 0xff : undefined;
    },
    remove(id) {
      for (const ending of ["json", "exit"]) rmSync(path(id, ending), { force: true });
    },
  };
}

/** Empty if there is no such file. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}

function parseRecord(text: string): ShellRecord | undefined {
  const value = parseJsonObject(text, 1);
  const { principal, inTmux, hub } = value ?? {};
  const isRecord = typeof principal === "string" && typeof inTmux === "boolean" && typeof hub === "number";
  return isRecord ? { principal, inTmux, hub } : undefined;
}
