// The origins whose pages may offer tools. It owns the file `origins.json`: {"origins":["https://shop.example"]}.
import type { Stats } from "node:fs";
import { join } from "node:path";
import { parseJsonObject } from "../wire/index.ts";
import { originProblem, parseOrigin } from "./parse-origin.ts";
import { createCachedFile, edited } from "./cached-file.ts";
import { requireOwn } from "./require-own.ts";
import { stateError } from "./state-error.ts";
import { withLock } from "./with-lock.ts";
import { replaceFile } from "./write-file.ts";

export interface OriginsFile {
  read(): readonly string[];
  /** Returns whether it was not there before. */
  add(origin: string): boolean;
  /** Returns whether it was there before. */
  remove(origin: string): boolean;
  signature(): string;
}

const none: readonly string[] = [];

export function createOriginsFile(directory: string): OriginsFile {
  const path = join(directory, "origins.json");
  const parse = (text: string, stats: Stats) => {
    requireOwn({ what: "file", path, mode: "600" }, stats);
    return parseOrigins(path, text);
  };
  const file = createCachedFile(path, parse, edited);
  const read = () => file.read() ?? none;
  const write = (origins: readonly string[]) => replaceFile(path, `${JSON.stringify({ origins }, null, 2)}\n`);

  return {
    read,
    add(text) {
      const origin = requireOrigin(text);
      return withLock(path, () => {
        const origins = read();
        if (origins.includes(origin)) return false;
        write([...origins, origin]);
        return true;
      });
    },
    remove(text) {
      const origin = requireOrigin(text);
      return withLock(path, () => {
        const origins = read();
        if (!origins.includes(origin)) return false;
        write(origins.filter((each) => each !== origin));
        return true;
      });
    },
    signature: file.signature,
  };
}

function requireOrigin(text: string): string {
  const origin = parseOrigin(text);
  if (origin === undefined) throw stateError(originProblem(text));
  return origin;
}

function parseOrigins(path: string, text: string): readonly string[] {
  const origins = originsIn(text);
  if (origins === undefined) {
    throw stateError(
      `The file ${path} does not hold {"origins":["https://shop.example"]}. Put it right, or delete it and allow each origin again with: npx pagewire allow`,
    );
  }
  return origins.map((each) => {
    const origin = parseOrigin(each);
    if (origin === undefined) throw stateError(`The file ${path} cannot be used: ${originProblem(each)}`);
    return origin;
  });
}

function originsIn(text: string): readonly string[] | undefined {
  const origins = parseJsonObject(text, 2)?.["origins"];
  return Array.isArray(origins) && origins.every((each) => typeof each === "string") ? origins : undefined;
}
