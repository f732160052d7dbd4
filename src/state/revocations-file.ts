// Which tokens of jwt mode are not good any more. It owns the file `revoked.json`:
// {"tokens":[{"id":"9f2c"}],"subjects":[{"subject":"ann","notBefore":"2026-01-02T03:04:05.000Z"}]}.
import type { Stats } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJsonObject } from "../wire/index.ts";
import { createCachedFile, edited } from "./cached-file.ts";
import { requireOwn } from "./require-own.ts";
import { stateError } from "./state-error.ts";
import { withLock } from "./process-lock.ts";
import { replaceFile } from "./write-file.ts";

/** Revoked tokens: by id, and by subject if they were issued before a time. */
export interface RevokedTokens {
  readonly ids: ReadonlySet<string>;
  /** In milliseconds since 1970. */
  readonly subjects: ReadonlyMap<string, number>;
}

/** One token by its id, or those of a subject that were issued before a time. */
export type Revocation = { readonly id: string } | { readonly subject: string; readonly notBefore: number };

export interface RevocationsFile {
  read(): RevokedTokens;
  add(revocation: Revocation): boolean;
  remove(named: { readonly id: string } | { readonly subject: string }): boolean;
  /** Changes several at once. */
  edit(edit: (ids: Set<string>, subjects: Map<string, number>) => void): void;
  signature(): string;
}

/** The hub's guard checks them for each token, and reads the whole file again at each change. */
const MAX_REVOCATIONS = 10_000;

const none: RevokedTokens = { ids: new Set(), subjects: new Map() };

export function createRevocationsFile(directory: string): RevocationsFile {
  const path = join(directory, "revoked.json");
  const parse = (text: string, stats: Stats) => {
    requireOwn({ what: "file", path, mode: "600" }, stats);
    return parseRevoked(path, text);
  };
  const file = createCachedFile(path, parse, edited);
  const read = () => file.read() ?? none;

  /** `edit` returns whether there is anything to write. */
  function change(edit: (ids: Set<string>, subjects: Map<string, number>) => boolean): boolean {
    return withLock(path, () => {
      const revoked = read();
      const ids = new Set(revoked.ids);
      const subjects = new Map(revoked.subjects);
      if (!edit(ids, subjects)) return false;
      if (ids.size + subjects.size > MAX_REVOCATIONS)
        throw stateError(
          `There are ${MAX_REVOCATIONS} revocations, the most that there can be. Revoke whole subjects, or take back those whose tokens have ended: npx pagewire token revoke --list`,
        );
      replaceFile(path, textOf({ ids, subjects }));
      return true;
    });
  }

  return {
    read,
    add: (revocation) =>
      change((ids, subjects) => {
        if ("id" in revocation) return !ids.has(revocation.id) && Boolean(ids.add(revocation.id));
        const { subject, notBefore } = revocation;
        // A later time includes an earlier one.
        return (subjects.get(subject) ?? 0) < notBefore && Boolean(subjects.set(subject, notBefore));
      }),
    remove: (named) =>
      change((ids, subjects) => ("id" in named ? ids.delete(named.id) : subjects.delete(named.subject))),
    edit: (edit) => void change((ids, subjects) => (edit(ids, subjects), true)),
    signature: file.signature,
  };
}

function textOf({ ids, subjects }: RevokedTokens): string {
  const revoked = {
    tokens: [...ids].map((id) => ({ id })),
    subjects: [...subjects].map(([subject, time]) => ({ subject, notBefore: new Date(time).toISOString() })),
  };
  return `${JSON.stringify(revoked, null, 2)}\n`;
}

function parseRevoked(path: string, text: string): RevokedTokens {
  const { tokens = [], subjects = [] } = parseJsonObject(text, 3) ?? { tokens: "" };
  const isWhole = Array.isArray(tokens) && Array.isArray(subjects);
  const ids = isWhole ? tokens.map((each) => isJsonObject(each) && each["id"]) : [undefined];
  const times = isWhole ? subjects.map(timeIn) : [];
  if (ids.every((id) => typeof id === "string") && times.every((each) => each !== undefined))
    return { ids: new Set(ids), subjects: new Map(times) };
  throw stateError(
    `The file ${path} does not say which tokens are revoked. Put it right, or delete it and revoke each again with: npx pagewire token revoke`,
  );
}

function timeIn(value: unknown): readonly [string, number] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { subject, notBefore } = value;
  const time = typeof notBefore === "string" ? Date.parse(notBefore) : NaN;
  return typeof subject === "string" && !Number.isNaN(time) ? [subject, time] : undefined;
}
