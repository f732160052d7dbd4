import type { Admitted } from "../../identity/admitted.ts";
import { scopes as allScopes } from "../../identity/scopes.ts";
import type { People } from "../../team/people/people.ts";
import { organisationOf, serviceNameOf } from "../../team/people/principals.ts";

/** The caller, as the hub knows it. */
export function describeMe(admitted: Admitted, people: Pick<People, "known">): object {
  const { principal, scopes = allScopes, session, expiresAt = Infinity } = admitted;
  const service = serviceNameOf(principal);
  const { groups = [], isAdmin = false, name, email } = people.known(principal) ?? {};
  const credential = session === undefined ? "token" : "sign-in";
  return {
    ...{ principal, organisation: organisationOf(principal), name: service ?? name, email, groups },
    isAdmin: service === undefined ? isAdmin : scopes.includes("admin"),
    ...{ scopes, credential: service === undefined ? credential : "service" },
    ...(expiresAt === Infinity ? {} : { expiresAt }),
  };
}
