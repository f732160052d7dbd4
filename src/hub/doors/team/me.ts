import type { Admitted } from "../../identity/admitted.ts";
import { scopes as allScopes } from "../../identity/scopes.ts";
import { isOfKey } from "../../team/people/check-is-person.ts";
import type { People } from "../../team/people/people.ts";
import { organisationOf, serviceNameOf } from "../../common/principals.ts";

/** The caller, as the hub knows it. */
export function describeMe(admitted: Admitted, people: Pick<People, "known">): object {
  const { principal, scopes = allScopes, expiresAt = Infinity } = admitted;
  const service = serviceNameOf(principal);
  const { groups = [], isAdmin = false, name, email } = people.known(principal) ?? {};
  return {
    ...{ principal, organisation: organisationOf(principal), name: service ?? name, email, groups },
    isAdmin: service === undefined ? isAdmin : scopes.includes("admin"),
    ...{ scopes, credential: credentialOf(admitted) },
    ...(expiresAt === Infinity ? {} : { expiresAt }),
  };
}

function credentialOf(admitted: Admitted): "service" | "sign-in" | "key" | "token" {
  if (serviceNameOf(admitted.principal) !== undefined) return "service";
  if (admitted.session !== undefined) return "sign-in";
  return isOfKey(admitted) ? "key" : "token";
}
