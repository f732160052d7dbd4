import { resolve } from "node:path";
import { PagewireError, resolveLimits, parseUrl } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";

export type DatabaseKind = "sqlite" | "postgres";

export interface DatabaseAddress {
  readonly kind: DatabaseKind;
  /** A file's path, or the whole address. */
  readonly place: string;
  /** For messages: without the password. */
  readonly shown: string;
}

/** A path means SQLite, a postgres:// address PostgreSQL. */
export function parseDatabase(database: string): DatabaseAddress {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(database)?.[1]?.toLowerCase();
  if (scheme === undefined) return fileAt(database);
  if (scheme !== "postgres" && scheme !== "postgresql") throw refused(`"${scheme}" is no database that a hub can use.`);
  if (!parseUrl(database)) throw refused("The address of the PostgreSQL database cannot be read.");
  const { hostname, port, pathname, username } = new URL(database);
  const shown = `postgres://${username && `${username}@`}${hostname}${port && `:${port}`}${pathname}`;
  return { kind: "postgres", place: database, shown };
}

function fileAt(path: string): DatabaseAddress {
  if (path === "" || path.includes("\0")) throw refused("The database needs a path.");
  const place = resolve(path);
  return { kind: "sqlite", place, shown: place };
}

function refused(problem: string): PagewireError {
  return new PagewireError(
    "options-invalid",
    `${problem} Give the path of a file, or an address such as postgres://user@host/name.`,
  );
}

/** The limits in force as finite numbers, which databases can compare with. */
export function storeLimits(given: Partial<Limits> = {}): Limits {
  const bounded = Object.entries(resolveLimits(given)).map(([name, value]) => [
    name,
    Math.min(value, Number.MAX_SAFE_INTEGER),
  ]);
  return Object.fromEntries(bounded) as unknown as Limits;
}
