import { PagewireError } from "../../../wire/index.ts";
import { ScopeNeeded } from "../../http/challenge.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { isGranted } from "../../identity/scopes.ts";
import { serviceNameOf } from "../../common/principals.ts";

/** The `tokenId` of what rests on a key: the holder's id, and which key it is. */
export const keyTokenId = /^key (\S+) (\S+)$/;

/** Whether something rests on a key, by its `tokenId`. */
export function isOfKey({ tokenId = "" }: Pick<Admitted, "tokenId">): boolean {
  return keyTokenId.test(tokenId);
}

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
