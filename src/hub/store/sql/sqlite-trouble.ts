import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../wire/index.ts";
import type { StoreReason } from "../port/store.ts";
import type { Trouble } from "./messages.ts";

/** SQLite's primary result codes that concern the whole database. */
const codes = {
  busy: 5,
  locked: 6,
  memory: 7,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  noDatabase: 26,
};

/** For errors without a code. */
const texts: readonly (readonly [RegExp, number])[] = [
  [/not a database/, codes.noDatabase],
  [/malformed/, codes.corrupt],
  [/disk I\/O error/, codes.io],
  [/readonly/, codes.readOnly],
  [/unable to open/, codes.cannotOpen],
  [/disk is full/, codes.full],
  [/locked/, codes.busy],
];

/** The database's failure behind an error; undefined if it concerns one statement only. */
export function sqliteTrouble(error: unknown, path: string): Trouble | undefined {
  const message = messageOf(error);
  const notSaved = (reason: StoreReason, message: string, retry: Trouble["retry"]): Trouble => ({
    code: "not-saved",
    reason,
    message,
    retry,
  });
  switch (codeOf(error, message)) {
    case codes.busy:
    case codes.locked:
      return notSaved("away", `Another process holds the database ${path}.`, "itself");
    case codes.memory:
      return notSaved("away", `There is no memory left for the database ${path}.`, "itself");
    case codes.full:
      return notSaved("full", `The disk with the database ${path} is full.`, "itself");
    case codes.readOnly:
      // A read-only connection stays read-only: it must be opened again.
      return notSaved("read-only", `The database ${path} can only be read.`, isWritable(path) ? "soon" : "itself");
    case codes.io:
      return notSaved("away", `The disk with the database ${path} fails: ${message}.`, "soon");
    case codes.cannotOpen:
      return notSaved("away", `The database ${path} cannot be opened: ${message}.`, "soon");
    case codes.corrupt:
    case codes.noDatabase:
      return {
        code: "store-damaged",
        reason: "damaged",
        message: `The database ${path} is damaged. Put a backup in its place, or move it away to begin a new one.`,
        retry: "replaced",
      };
    default:
      return undefined;
  }
}

function codeOf(error: unknown, message: string): number | undefined {
  const code = typeof error === "object" && error !== null && "errcode" in error ? error.errcode : undefined;
  // The lowest byte is the primary code.
  if (typeof code === "number") return code & 0xff;
  return texts.find(([text]) => text.test(message))?.[1];
}

function isWritable(path: string): boolean {
  try {
    for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
