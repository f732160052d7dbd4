// Other hubs that this user signed in to, each by a name. Owns the files `contexts/<name>.json`, which may hold secrets, and
// `contexts/in-use`, which holds the name that the commands use.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { takeProcessLock } from "./process-lock.ts";
import type { ProcessLock } from "./process-lock.ts";
import { requirePrivate } from "./require-own.ts";
import { stateError } from "./state-error.ts";
import { readText, replaceFile } from "./write-file.ts";

export interface ContextFiles {
  list(): readonly string[];
  path(name: string): string;
  /** Undefined where there is none. Throws when the file is readable by others or broken. */
  read(name: string): JsonObject | undefined;
  write(name: string, record: JsonObject): void;
  remove(name: string): void;
  /** For changes that take longer than one write. */
  lock(name: string): ProcessLock;
  inUse(): string | undefined;
  /** Undefined: the hub of this state directory. */
  use(name: string | undefined): void;
}

/** A file's name, also where the case of letters does not count. */
export const contextNamePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export function createContextFiles(stateDirectory: string): ContextFiles {
  const directory = join(stateDirectory, "contexts");
  const inUsePath = join(directory, "in-use");
  const path = (name: string) => join(directory, `${name}.json`);
  const prepare = () => mkdirSync(directory, { recursive: true, mode: 0o700 });

  function inUse(): string | undefined {
    const name = readText(inUsePath)?.trim();
    return name !== undefined && contextNamePattern.test(name) ? name : undefined;
  }

  function use(name: string | undefined): void {
    prepare();
    if (name === undefined) rmSync(inUsePath, { force: true });
    else replaceFile(inUsePath, `${name}\n`);
  }

  return {
    list() {
      const files = statSync(directory, { throwIfNoEntry: false }) ? readdirSync(directory) : [];
      const names = files.flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
      return names.filter((name) => contextNamePattern.test(name)).toSorted();
    },
    path,
    read: (name) => readContext(path(name)),
    write(name, record) {
      prepare();
      replaceFile(path(name), `${JSON.stringify(record, null, 2)}\n`);
    },
    remove(name) {
      rmSync(path(name), { force: true });
      if (inUse() === name) use(undefined);
    },
    lock(name) {
      prepare();
      return takeProcessLock(`${path(name)}.held`);
    },
    inUse,
    use,
  };
}

function readContext(path: string): JsonObject | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  const text = stats && readText(path);
  if (stats === undefined || text === undefined) return undefined;
  requirePrivate({ what: "file of a sign-in", path, mode: "600" }, stats, `rm "${path}"; npx pagewire login`);
  const record = parseJsonObject(text, 8);
  if (record !== undefined) return record;
  throw stateError(`The file ${path} is broken. Remove it, and sign in again: rm "${path}"; npx pagewire login`);
}
