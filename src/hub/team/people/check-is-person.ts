import { PagewireError } from "../../../wire/index.ts";
import { ScopeNeeded } from "../../http/challenge.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { isGranted } from "../../identity/scopes.ts";
import { isOfKey } from "../keys.ts";
import { serviceNameOf } from "./principals.ts";

/**
 * Throws where it is not the person who asks about their sign-ins and keys: signed in in a browser, or by an access token that is
 * for more than an ordinary agent's.
 */
export function checkIsPerson(admitted: Pick<Admitted, "principal" | "scopes" | "tokenId">): void {
  const { principal, scopes } = admitted;
  if (serviceNameOf(principal) !== undefined || isOfKey(admitted)) throw new PagewireError("option-refused", notByKey);
  if (!isGranted(scopes, "tools:destructive")) throw new ScopeNeeded("tools:destructive", principal);
}

const notByKey = "Sign-ins and keys are for their person, who signs in with the identity provider. A key does not do.";
