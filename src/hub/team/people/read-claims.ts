// The claims of a token, or of a provider's answer, about a person.
import { PagewireError } from "../../../wire/index.ts";
import type { Provider } from "../../options/team-options.ts";
import { nameOrganisation, personOf } from "./principals.ts";
import type { Claims } from "./people.ts";

interface ReadClaims extends Claims {
  readonly principal: string;
  /** Whether the provider's `memberGroups` let the person use the hub. */
  readonly isMember: boolean;
}

type FromProvider = Pick<
  Provider,
  "adminGroups" | "groupsClaim" | "memberGroups" | "name" | "organisationClaim" | "subjectClaim"
>;

const groupsMost = 1000;

/** Throws for claims that do not say who the person is. */
export function readClaims(provider: FromProvider, claims: Readonly<Record<string, unknown>>): ReadClaims {
  const { organisationClaim, groupsClaim, adminGroups, memberGroups } = provider;
  const subject = claims[provider.subjectClaim];
  if (typeof subject !== "string" || subject === "")
    throw new PagewireError("token-invalid", `The claim "${provider.subjectClaim}" does not say who this is.`);
  // A person without an organisation must not become one of the provider's own.
  const claim = organisationClaim === undefined ? undefined : (claims[organisationClaim] ?? "");
  const groups = textsOf(claims[groupsClaim]);
  const isIn = (wanted: readonly string[]) => wanted.some((group) => groups.includes(group));
  return {
    principal: personOf(nameOrganisation(provider.name, claim), subject),
    groups,
    isAdmin: isIn(adminGroups),
    isMember: memberGroups === undefined || isIn(memberGroups),
    name: textOf(claims["name"]),
    email: textOf(claims["email"]),
  };
}

/** Some providers name a single group without a list. */
function textsOf(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((each): each is string => typeof each === "string" && each !== "").slice(0, groupsMost);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
}
