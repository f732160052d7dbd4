import { PagewireError } from "../../wire/index.ts";
import type { RootCredentials } from "../guard/root-credentials.ts";
import type { Admitted } from "../identity/admitted.ts";
import { isRevoked, markOf } from "../identity/revocations.ts";
import type { Revoked } from "../identity/revocations.ts";
import type { Access } from "./people/access.ts";
import type { People } from "./people/people.ts";
import { serviceNameOf } from "../common/principals.ts";
import type { Keys } from "./keys.ts";

interface AccessParts {
  readonly access: Pick<Access, "isBlocked" | "refusedBefore">;
  readonly people: Pick<People, "inUse" | "load">;
  readonly keys: Pick<Keys, "isEnded">;
  /** Whether the hub is for a principal's organisation. */
  readonly serves: (principal: string) => boolean;
}

/**
 * Credentials of organisations that the hub is not for, of people who are blocked or no members any more, those from before a principal's access was ended, and keys that
 * are gone do not hold, nor do credentials that derive from them.
 */
export function withAccess(base: RootCredentials, { access, people, keys, serves }: AccessParts): RootCredentials {
  const refusedBefore = (principal: string) =>
    people.inUse(principal)?.isMember === false || !serves(principal) ? Infinity : access.refusedBefore(principal);
  const revoked: Revoked = {
    ids: { has: (id) => keys.isEnded(id) },
    subjects: { get: refusedBefore, has: (principal) => refusedBefore(principal) !== undefined },
  };
  const check = async (admitted: Admitted): Promise<Admitted> => {
    const { principal } = admitted;
    if (!serves(principal)) throw new PagewireError("option-refused", notServed);
    // Not a 401, after which clients would sign in again and again.
    if (access.isBlocked(principal)) throw new PagewireError("option-refused", blocked);
    const person = serviceNameOf(principal) === undefined ? await people.load(principal) : undefined;
    if (person?.isMember === false) throw new PagewireError("option-refused", noMember);
    if (isRevoked(admitted, revoked)) throw new PagewireError("token-expired", ended);
    return admitted;
  };
  return {
    ...base,
    agent: async (token, request) => check(await base.agent(token, request)),
    page: async (origin, token) => check(await base.page(origin, token)),
    shellRoot: { ...base.shellRoot, admit: async (token, origin) => check(await base.shellRoot.admit(token, origin)) },
    root: (use, holder) => base.root(use, holder) + markOf(holder, revoked),
    isStillGood: (admitted, origin) => base.isStillGood(admitted, origin) && !isRevoked(admitted, revoked),
  };
}

const blocked = "An admin of your organisation has blocked your access to this hub.";
const notServed = "Your organisation may not use this hub. Ask the hub's operator whether that is meant.";
const noMember = "Your identity provider has you in no group that may use this hub any more.";
const ended = "An admin of your organisation has ended what was signed in before. Sign in again.";
