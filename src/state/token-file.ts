// A secret in a file: the agents' token, or the key to terminals. Owns the file and its permissions; the hub checks the
// secrets that are presented.
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { createCachedFile } from "./cached-file.ts";
import { requirePrivate } from "./require-own.ts";
import { stateError } from "./state-error.ts";
import { createFile, replaceFile } from "./write-file.ts";

export interface TokenFile {
  readonly path: string;
  /** The secret; made at the first use. */
  read(): string;
  /** A new secret in place of the old one. */
  rotate(): string;
  signature(): string;
}

export interface TokenFileOptions {
  readonly directory: string;
  /** The file's name. */
  readonly name: string;
  /** The name of the secret, such as "token". */
  readonly what: string;
  /** The command that makes a new one. */
  readonly remedy: string;
}

const form = /^[\x21-\x7e]{16,1024}$/;

export function createTokenFile(options: TokenFileOptions): TokenFile {
  const path = join(options.directory, options.name);
  const file = createCachedFile(path, (text, stats) => parseToken({ ...options, path }, text, stats));

  return {
    path,
    read() {
      const token = file.read();
      if (token !== undefined) return token;
      createFile(path, `${newToken()}\n`);
      // Another process may have created it first: use the file that exists.
      return file.read() ?? createFailed(options.what, path);
    },
    rotate() {
      const token = newToken();
      replaceFile(path, `${token}\n`);
      return token;
    },
    signature: file.signature,
  };
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}

type Named = Pick<TokenFileOptions, "what" | "remedy"> & Pick<TokenFile, "path">;

function parseToken({ path, what, remedy }: Named, text: string, stats: Stats): string {
  requirePrivate({ what: `${what} file`, path, mode: "600" }, stats, remedy);
  const token = text.trim();
  if (form.test(token)) return token;
  const problem = token === "" ? "is empty" : "does not hold one line of 16 to 1024 printable characters";
  throw stateError(`The ${what} file ${path} ${problem}. Make a new ${what} with: ${remedy}`);
}

function createFailed(what: string, path: string): never {
  throw stateError(`The ${what} file ${path} was deleted while it was made. Try again.`);
}
