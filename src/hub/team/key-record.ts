import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject, Limits, TokenBudgets } from "../../wire/index.ts";
import { parseHolder } from "../identity/admitted.ts";
import { serviceNameOf } from "../common/principals.ts";
import { scopes as allScopes } from "../identity/scopes.ts";
import type { Scope } from "../identity/scopes.ts";
import type { StoredRecord } from "../store/index.ts";

/** Of SHA-256 in base64url. */
const digestLength = 43;

export interface Key {
  /** SHA-256 of its secret. */
  readonly digest: string;
  readonly madeAt: number;
  readonly expiresAt: number;
  /** Of a person's key: what the person calls it. */
  readonly name?: string;
  /** Missing: those of the holder. */
  readonly scopes?: readonly Scope[];
}

/** A service account, or a person who made keys. Times are milliseconds since 1970. */
export interface KeyHolder {
  /** All are kept together: the record is of no principal. */
  readonly principal: "";
  /** The principal that the keys act as. */
  readonly whose: string;
  readonly scopes: readonly Scope[];
  /** Lower limits for it. */
  readonly allowed?: TokenBudgets | undefined;
  readonly madeBy: string;
  readonly madeAt: number;
  /** The oldest first. */
  readonly keys: readonly Key[];
}

export function recordOf({ allowed, keys, scopes, ...holder }: KeyHolder): StoredRecord {
  const isPersons = serviceNameOf(holder.whose) === undefined;
  return {
    ...holder,
    ...(isPersons && { forgetAt: Math.max(holder.madeAt, ...keys.map(({ expiresAt }) => expiresAt)) }),
    scopes: [...scopes],
    ...(allowed && { allowed: { ...allowed } as JsonObject }),
    keys: keys.map(({ scopes: own, ...key }) => ({ ...key, ...(own && { scopes: [...own] }) })),
  };
}

/** Undefined for an invalid record. */
export function parseKeyHolder(record: StoredRecord, limits: Partial<Limits>): KeyHolder | undefined {
  const { whose, scopes, madeBy, madeAt, keys } = record;
  const holder = parseHolder(record, limits);
  if (typeof whose !== "string" || typeof madeBy !== "string" || !holder) return undefined;
  if (typeof madeAt !== "number" || !Array.isArray(scopes) || !Array.isArray(keys)) return undefined;
  return {
    ...{ principal: "", whose, madeBy, madeAt, allowed: holder.allowed },
    scopes: scopes.filter(isScope),
    keys: keys.flatMap((key) => parseKey(key) ?? []),
  };
}

export function isScope(value: unknown): value is Scope {
  return allScopes.some((scope) => scope === value);
}

function parseKey(value: Json): Key | undefined {
  if (!isJsonObject(value)) return undefined;
  const { digest, madeAt, expiresAt, name, scopes } = value;
  if (typeof digest !== "string" || digest.length !== digestLength) return undefined;
  if (typeof madeAt !== "number" || typeof expiresAt !== "number") return undefined;
  return {
    ...{ digest, madeAt, expiresAt },
    ...(typeof name === "string" && { name }),
    ...(Array.isArray(scopes) && { scopes: scopes.filter(isScope) }),
  };
}
