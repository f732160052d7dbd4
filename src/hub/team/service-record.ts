import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject, Limits, TokenBudgets } from "../../wire/index.ts";
import { parseHolder } from "../identity/admitted.ts";
import { scopes as allScopes } from "../identity/scopes.ts";
import type { Scope } from "../identity/scopes.ts";
import type { StoredRecord } from "../store/index.ts";

/** Of SHA-256 in base64url. */
const digestLength = 43;

export interface ServiceKey {
  /** SHA-256 of its secret. */
  readonly digest: string;
  readonly madeAt: number;
  readonly expiresAt: number;
}

/** A service account. Times are milliseconds since 1970. */
export interface Service {
  /** All are kept together: the record is of no principal. */
  readonly principal: "";
  readonly organisation: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Lower limits for it. */
  readonly allowed: TokenBudgets | undefined;
  readonly madeBy: string;
  readonly madeAt: number;
  /** The oldest first. */
  readonly keys: readonly ServiceKey[];
}

export function recordOf({ allowed, keys, scopes, ...service }: Service): StoredRecord {
  return {
    ...service,
    scopes: [...scopes],
    ...(allowed && { allowed: { ...allowed } as JsonObject }),
    keys: keys.map((key) => ({ ...key })),
  };
}

/** Undefined for an invalid record. */
export function parseService(record: StoredRecord, limits: Partial<Limits>): Service | undefined {
  const { organisation, name, scopes, madeBy, madeAt, keys } = record;
  const holder = parseHolder(record, limits);
  if (typeof organisation !== "string" || typeof name !== "string" || typeof madeBy !== "string") return undefined;
  if (!holder || typeof madeAt !== "number" || !Array.isArray(scopes) || !Array.isArray(keys)) return undefined;
  return {
    ...{ principal: "", organisation, name, madeBy, madeAt, allowed: holder.allowed },
    scopes: scopes.filter(isScope),
    keys: keys.flatMap((key) => parseKey(key) ?? []),
  };
}

export function isScope(value: unknown): value is Scope {
  return allScopes.some((scope) => scope === value);
}

function parseKey(value: Json): ServiceKey | undefined {
  if (!isJsonObject(value)) return undefined;
  const { digest, madeAt, expiresAt } = value;
  if (
    typeof digest !== "string" ||
    digest.length !== digestLength ||
    typeof madeAt !== "number" ||
    typeof expiresAt !== "number"
  )
    return undefined;
  return { digest, madeAt, expiresAt };
}
