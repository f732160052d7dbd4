import type { Admitted } from "../../identity/admitted.ts";
import { noSuchPrincipal } from "../../team/people/people.ts";
import { organisationOf } from "../../common/principals.ts";

/** A principal that an admin may govern: one of the own organisation. Another does not exist for the admin. */
export function inOrganisation({ principal: admin }: Pick<Admitted, "principal">, principal: string): string {
  const organisation = organisationOf(principal);
  if (organisation !== undefined && organisation === organisationOf(admin)) return principal;
  throw noSuchPrincipal();
}
