// An access token's claims about its person. Some providers write groups only into what they say at a sign-in: such a token says
// nothing about groups, and those of the sign-in hold.
import { PagewireError } from "../../../wire/index.ts";
import type { Provider } from "../../options/team-options.ts";
import type { People } from "../people/people.ts";
import { checkGroups, readTokenClaims } from "../people/read-claims.ts";
import type { CheckedClaims } from "./check-claims.ts";

export interface NoteClaimsOptions {
  readonly people: Pick<People, "load" | "note">;
  readonly now: () => number;
  /** How old what a sign-in said of a person may be, in milliseconds. */
  readonly maxClaimsAge: number;
}

interface Noted {
  readonly principal: string;
  /** When what the hub knows of the person is too old, in milliseconds since 1970. */
  readonly until: number;
}

/** Rejects if the person may not use the hub, by the newest claims. */
export async function noteClaims(
  provider: Provider,
  { claims, saidAt }: Pick<CheckedClaims, "claims" | "saidAt">,
  { people, now, maxClaimsAge }: NoteClaimsOptions,
): Promise<Noted> {
  const { principal, hasGroups, ...about } = readTokenClaims(provider, claims);
  if (hasGroups) {
    await people.note(principal, { ...about, tokensHaveGroups: true }, saidAt);
    if (!about.isMember) throw refused("Your identity provider has you in no group that may use this hub.");
    return { principal, until: Infinity };
  }
  const person = await people.load(principal);
  if (person && person.groups.length > 0 && !person.tokensHaveGroups) {
    const until = person.claimedAt + maxClaimsAge;
    if (until > now()) return { principal, until };
    throw refused(
      `${lacks(provider)} The groups of your last sign-in are too old: sign in to the hub in a browser again.`,
    );
  }
  checkGroups(provider, claims);
  if (provider.memberGroups)
    throw refused(
      `${lacks(provider)} Let your identity provider write it into access tokens, or sign in to the hub in a browser first.`,
    );
  await people.note(principal, about, saidAt);
  return { principal, until: Infinity };
}

function lacks({ groupsClaim }: Provider): string {
  return `The access token has no claim "${groupsClaim}", so that it does not say whether you may use this hub.`;
}

/** Not a 401, after which clients would get the same token again and again. */
function refused(message: string): PagewireError {
  return new PagewireError("option-refused", message);
}
