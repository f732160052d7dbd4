import { isDeepStrictEqual } from "node:util";
import type { StoredRecord } from "../../store/index.ts";

export interface Claims {
  readonly groups: readonly string[];
  readonly isAdmin: boolean;
  /** False for a person who may not use the hub any more. */
  readonly isMember?: boolean | undefined;
  /** Whether access tokens of the person have had the claim with groups: one without it then says that there are none. */
  readonly tokensHaveGroups?: boolean | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** Times are milliseconds since 1970. */
export interface Person extends Claims {
  readonly id: string;
  /** The organisation, which owns the record. */
  readonly principal: string;
  /** When the claims were made. */
  readonly claimedAt: number;
  readonly seenAt: number;
}

/** How long a person who was not seen is remembered. */
const rememberedTime = 400 * 24 * 60 * 60 * 1000;

/** Max characters of a name and of an email address. */
const mostText = 200;

export function shortened({ groups, isAdmin, isMember = true, tokensHaveGroups, name, email }: Claims): Claims {
  return {
    ...{ groups, isAdmin, isMember },
    ...(tokensHaveGroups && { tokensHaveGroups }),
    ...(name !== undefined && { name: name.slice(0, mostText) }),
    ...(email !== undefined && { email: email.slice(0, mostText) }),
  };
}

export function recordOf({ groups, isMember = true, tokensHaveGroups, name, email, ...person }: Person): StoredRecord {
  return {
    ...person,
    groups: [...groups],
    isMember,
    ...(tokensHaveGroups && { tokensHaveGroups }),
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    forgetAt: person.seenAt + rememberedTime,
  };
}

/** Undefined for an invalid record. */
export function parsePerson(record: StoredRecord): Person | undefined {
  const { id, principal, groups, isAdmin, isMember, tokensHaveGroups, name, email, claimedAt, seenAt } = record;
  if (typeof id !== "string" || !Array.isArray(groups)) return undefined;
  if (typeof claimedAt !== "number" || typeof seenAt !== "number") return undefined;
  return {
    ...{ id, principal, claimedAt, seenAt, isAdmin: isAdmin === true, isMember: isMember !== false },
    groups: groups.filter((group): group is string => typeof group === "string"),
    ...(tokensHaveGroups === true && { tokensHaveGroups }),
    ...(typeof name === "string" && { name }),
    ...(typeof email === "string" && { email }),
  };
}

export function claimsDiffer(one: Claims | undefined, other: Claims): boolean {
  const of = ({ groups, isAdmin, isMember = true, tokensHaveGroups = false, name = "", email = "" }: Claims) => [
    groups,
    isAdmin,
    isMember,
    tokensHaveGroups,
    name,
    email,
  ];
  return one === undefined || !isDeepStrictEqual(of(one), of(other));
}
