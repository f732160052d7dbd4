// The token that agents bring. It owns the file `token` and its safety; who presents a token is the hub's to judge.
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { createCachedFile } from "./cached-file.ts";
import { stateError } from "./state-error.ts";
import { createFile, replaceFile } from "./write-file.ts";

export interface TokenFile {
  readonly path: string;
  /** The token; made at the first use. */
  read(): string;
  /** A new token in place of the old one. */
  rotate(): string;
  signature(): string;
}

const form = /^[\x21-\x7e]{16,1024}$/;

export function createTokenFile(directory: string): TokenFile {
  const path = join(directory, "token");
  const file = createCachedFile(path, (text, stats) => parseToken(path, text, stats));

  return {
    path,
    read() {
      const token = file.read();
      if (token !== undefined) return token;
      createFile(path, `${newToken()}\n`);
      // Another process may have been first: what counts is what is there.
      return file.read() ?? createFailed(path);
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

function parseToken(path: string, text: string, { mode }: Stats): string {
  // Windows keeps no such modes; there the user's own folder is closed to others.
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, "0");
    throw stateError(
      `The token file ${path} is open to others (mode ${octal}), who may know the token. Make a new one with: npx pagewire token rotate`,
    );
  }
  const token = text.trim();
  if (form.test(token)) return token;
  const problem = token === "" ? "is empty" : "does not hold one line of 16 to 1024 printable characters";
  throw stateError(`The token file ${path} ${problem}. Make a new token with: npx pagewire token rotate`);
}

function createFailed(path: string): never {
  throw stateError(`The token file ${path} was deleted while it was made. Try again.`);
}
