// The claims of a token, or of a provider's answer, about a person.
import { PagewireError, isJsonObject } from "../../../wire/index.ts";
import type { Provider } from "../../options/team-options.ts";
import { nameOrganisation, personOf } from "../../common/principals.ts";
import type { Claims } from "./people.ts";

interface ReadClaims extends Claims {
  readonly principal: string;
}

interface TokenClaims extends ReadClaims {
  /** Whether the claims have the one with groups at all, also with none in it. */
  readonly hasGroups: boolean;
}

type FromProvider = Pick<
  Provider,
  "adminGroups" | "groupsClaim" | "memberGroups" | "name" | "organisationClaim" | "organisations" | "subjectClaim"
>;

type ClaimSet = Readonly<Record<string, unknown>>;

const groupsMost = 1000;

/** Throws for claims that do not say who the person is, or from which a provider has left groups out. */
export function readClaims(provider: FromProvider, claims: ClaimSet): ReadClaims {
  checkGroups(provider, claims);
  return readPerson(provider, claims);
}

/** The same of an access token, which may say nothing about groups. */
export function readTokenClaims(provider: FromProvider, claims: ClaimSet): TokenClaims {
  const hasGroups = claimIn(claims, provider.groupsClaim) !== undefined;
  if (hasGroups) checkGroups(provider, claims);
  return { ...readPerson(provider, claims), hasGroups };
}

function readPerson(provider: FromProvider, claims: ClaimSet): ReadClaims {
  const { organisationClaim, organisations, adminGroups, memberGroups } = provider;
  const subject = claimIn(claims, provider.subjectClaim);
  if (typeof subject !== "string" || subject === "")
    throw new PagewireError("token-invalid", `The claim "${provider.subjectClaim}" does not say who this is.`);
  // A person without an organisation must not become one of the provider's own.
  const claim = organisationClaim === undefined ? undefined : (claimIn(claims, organisationClaim) ?? "");
  if (organisations && !organisations.some((each) => each === claim))
    throw new PagewireError("option-refused", "Your organisation may not use this hub.");
  const groups = groupsIn(claims, provider.groupsClaim);
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

/** The claim of this name; for a name such as `realm_access.roles`, also that of an object in a claim. */
export function claimIn(claims: ClaimSet, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  const [first = "", ...rest] = name.split(".");
  const within = Object.hasOwn(claims, first) ? claims[first] : undefined;
  return rest.length > 0 && isJsonObject(within) ? claimIn(within, rest.join(".")) : undefined;
}

function groupsIn(claims: ClaimSet, name: string): readonly string[] {
  return listOf(claimIn(claims, name)).filter((each): each is string => typeof each === "string" && each !== "");
}

/** Some providers name a single group without a list. Its name may have spaces. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Throws where a provider has left groups out: a rule that denies something to a group would not hold. */
export function checkGroups({ groupsClaim: name }: Pick<Provider, "groupsClaim">, claims: ClaimSet): void {
  const value = claimIn(claims, name);
  const elsewhere = claims["_claim_names"];
  const isLeftOut = claims["hasgroups"] === true || (isJsonObject(elsewhere) && Object.hasOwn(elsewhere, name));
  if (listOf(value).length <= groupsMost && (value !== undefined || !isLeftOut)) return;
  throw new PagewireError(
    "token-invalid",
    `You are in more groups than your identity provider writes into "${name}", or the hub reads from it. Let it write only those that are assigned to this application.`,
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
}
