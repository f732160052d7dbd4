import { PagewireError } from "../../wire/index.ts";
import type { RootCredentials } from "../guard/root-credentials.ts";
import type { Admitted } from "../identity/admitted.ts";
import { isRevoked, markOf } from "../identity/revocations.ts";
import type { Revoked } from "../identity/revocations.ts";
import type { Access } from "./people/access.ts";
import type { Services } from "./services.ts";

/**
 * Credentials of blocked people, those from before a principal's access was ended, and keys that are gone do not hold, nor
 * do credentials that derive from them.
 */
export function withAccess(base: RootCredentials, access: Access, services: Services): RootCredentials {
  const revoked: Revoked = {
    ids: { has: (id) => services.isEnded(id) },
    subjects: {
      get: (principal) => access.refusedBefore(principal),
      has: (principal) => access.refusedBefore(principal) !== undefined,
    },
  };
  const check = (admitted: Admitted): Admitted => {
    // Not a 401, after which clients would sign in again and again.
    if (access.isBlocked(admitted.principal)) throw new PagewireError("option-refused", blocked);
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
const ended = "An admin of your organisation has ended what was signed in before. Sign in again.";
