// Owns the file `policy.json`, which people write, and preserves their text.
import { rmSync } from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { parsePolicy } from "../policy/index.ts";
import type { Policy } from "../policy/index.ts";
import { messageOf } from "../wire/index.ts";
import { createCachedFile, edited } from "./cached-file.ts";
import { requireOwn } from "./require-own.ts";
import { stateError, systemCode, unusable } from "./state-error.ts";
import { readText, replaceFile } from "./write-file.ts";

export interface PolicyFile {
  readonly path: string;
  /** Undefined if there is no file. Throws the errors of an invalid one, with line and column. */
  read(): Policy | undefined;
  text(): string | undefined;
  /** Puts a text in its place, which is checked first. */
  write(text: string): void;
  remove(): boolean;
  signature(): string;
}

const MAX_CHARACTERS = 1024 * 1024;

export function createPolicyFile(directory: string): PolicyFile {
  const path = join(directory, "policy.json");
  const parse = (text: string, stats: Stats) => {
    requireOwn({ what: "file", path, mode: "600", mayBeRoots: true }, stats);
    return parseFile(`The file ${path}`, text);
  };
  const file = createCachedFile(path, parse, edited);

  return {
    path,
    read: file.read,
    text: () => readText(path),
    write(text) {
      parseFile("This policy", text);
      replaceFile(path, text.endsWith("\n") ? text : `${text}\n`);
    },
    remove() {
      try {
        rmSync(path);
      } catch (error) {
        if (systemCode(error) === "ENOENT") return false;
        throw unusable("changed", error);
      }
      file.forget();
      return true;
    },
    signature: file.signature,
  };
}

/** Parses the policy; `what` is the subject of the error message. */
function parseFile(what: string, text: string): Policy {
  if (text.length > MAX_CHARACTERS)
    throw stateError(`${what} cannot be used: it has more than ${MAX_CHARACTERS} characters.`);
  try {
    return parsePolicy(text);
  } catch (error) {
    throw stateError(`${what} cannot be used: ${messageOf(error)}`, error);
  }
}
