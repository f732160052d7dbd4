// The form of sign-ins in the store.
import type { StoredRecord } from "../../store/index.ts";
import { digestOf } from "../../guard/grant.ts";
import type { Tokens } from "./identity-client.ts";

export interface SignIn {
  /** The digest of its cookie. */
  readonly id: string;
  readonly principal: string;
  readonly provider: string;
  readonly subject: string;
  /** The provider's own session. */
  readonly sid?: string;
  /** How its browser introduced itself. */
  readonly browser?: string;
  /** The provider's tokens, sealed. */
  readonly sealed: string;
  /** Times are in milliseconds since 1970. */
  readonly at: number;
  readonly expiresAt: number;
  /** When the provider was last asked about its person. */
  readonly checkedAt: number;
  /** A hub asks at the moment, and the others wait until then: a token for asking may be good once. */
  readonly askingUntil?: number;
}

export interface NewSignIn extends Pick<SignIn, "principal" | "provider" | "subject" | "sid" | "browser"> {
  readonly tokens: Tokens;
}

const texts = ["id", "provider", "subject", "sealed"] as const;
const times = ["at", "expiresAt", "checkedAt"] as const;
const optional = ["sid", "browser"] as const;

/** Undefined for an invalid record: the person has to sign in again. */
export function parseSignIn(record: StoredRecord): SignIn | undefined {
  const isWhole =
    texts.every((name) => typeof record[name] === "string") &&
    times.every((name) => typeof record[name] === "number") &&
    (record["askingUntil"] === undefined || typeof record["askingUntil"] === "number") &&
    optional.every((name) => record[name] === undefined || typeof record[name] === "string");
  const { forgetAt: _, ...signIn } = record;
  return isWhole ? (signIn as unknown as SignIn) : undefined;
}

type Named = Pick<SignIn, "principal" | "provider"> & Partial<Pick<SignIn, "subject" | "sid">>;

/** Records by which a provider's logout finds whose sign-ins it is about: one for its session, one for its subject. */
export function namesOf({ principal: person, provider, subject, sid }: Named) {
  const names = Object.entries({ subject, sid }).filter(([, name]) => name !== undefined);
  return names.map(([kind, name]) => {
    const group = digestOf(JSON.stringify([provider, kind, name]));
    return [digestOf(`${group} ${person}`), { principal: group, person }] as const;
  });
}

const prefix = "sign-in.";

/** The `tokenId` of everything that rests on a sign-in. */
export function tokenIdOf({ id }: Pick<SignIn, "id">): string {
  return `${prefix}${id}`;
}

/** The sign-in that something rests on; undefined for a token of another kind. */
export function signInIdOf({ tokenId }: { readonly tokenId?: string | undefined }): string | undefined {
  return tokenId?.startsWith(prefix) ? tokenId.slice(prefix.length) : undefined;
}
