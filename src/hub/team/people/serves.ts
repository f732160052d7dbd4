// Which organisations a hub is for, by its options of now. What people and programs got earlier may be of others.
import type { Provider } from "../../options/team-options.ts";
import { organisationOf, providerOf } from "../../common/principals.ts";

type Named = Pick<Provider, "name" | "organisationClaim" | "organisations">;

/** Whether a principal's organisation may use a hub with these providers. */
export function serves(providers: readonly Named[]): (principal: string) => boolean {
  const named = new Map(
    providers.map(({ name, organisationClaim, organisations }) => {
      const all = organisations?.map((each) => `${name}.${encodeURIComponent(each)}`);
      return [name, organisationClaim === undefined ? new Set([name]) : all && new Set(all)] as const;
    }),
  );
  return (principal) => {
    const organisation = organisationOf(principal);
    if (organisation === undefined) return false;
    const name = providerOf(organisation);
    return named.has(name) && (named.get(name)?.has(organisation) ?? organisation !== name);
  };
}
