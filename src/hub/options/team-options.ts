// Team mode: people sign in, and agents authorise themselves, with the identity providers of the companies that use the hub.
import { createHmac } from "node:crypto";
import { PagewireError, parseUrl } from "../../wire/index.ts";
import { scopes } from "../identity/scopes.ts";
import type { Scope } from "../identity/scopes.ts";
import { isLoopbackHost } from "./reach.ts";

/** An identity provider, and what the hub makes of its claims. */
export interface ProviderOptions {
  /** The name of the organisation whose people it signs in, or with `organisationClaim` the first part of their names. */
  readonly name: string;
  /** For people; the name by default. */
  readonly title?: string;
  readonly issuer: string;
  /** The hub's own client: it signs people in and asks about opaque tokens. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The public client of `pagewire login`. By default one that registers itself. */
  readonly commandLineClientId?: string;
  /** The audiences of access tokens for this hub: by default its own address with /mcp. */
  readonly audiences?: readonly string[];
  /** The claim that says who a person is, the same in all tokens for the hub: `sub` by default. */
  readonly subjectClaim?: string;
  /** The claim with a person's organisation. By default all people of the provider are one organisation. */
  readonly organisationClaim?: string;
  /** The only organisations that may use the hub, as `organisationClaim` names them. By default all. */
  readonly organisations?: readonly string[];
  /** The claim with a person's groups, also one within another such as `realm_access.roles`: `groups` by default. */
  readonly groupsClaim?: string;
  /** The groups that may use the hub: by default everyone whom the provider signs in. */
  readonly memberGroups?: readonly string[];
  /** The groups whose people govern their organisation: by default none. */
  readonly adminGroups?: readonly string[];
  /** The provider's names of the hub's scopes: by default the same. */
  readonly scopes?: Readonly<Partial<Record<Scope, string>>>;
  /** The scopes of a person's sign-in: `openid profile email`, and `offline_access` where the provider knows it. */
  readonly signInScope?: string;
  /** More for the address where a person signs in, such as `access_type` for Google. */
  readonly signInParameters?: Readonly<Record<string, string>>;
  /** Set where the provider marks its access tokens as such (RFC 9068): no other token of it is then taken for one. */
  readonly tokenType?: "at+jwt";
  /** Whether opaque access tokens are checked by asking the provider. */
  readonly introspection?: boolean;
  /** Max age of an access token that is a JWT, in milliseconds: after it the client gets a new one, with the groups of then. */
  readonly maxTokenAge?: number;
  /** Bounds of each of its organisations, all principals together. */
  readonly organisationLimits?: Partial<OrganisationLimits>;
}

/**
 * The limits for all principals of one organisation together: calls in flight and the bytes of their arguments, calls per second
 * and the burst after a pause, answers of models being written, sockets, streams over HTTP, tabs, and the bytes of what its pages offer.
 */
export const defaultOrganisationLimits = {
  calls: 8192,
  callBytes: 128 * 1024 * 1024,
  callRate: 8000,
  callBurst: 40_000,
  answers: 256,
  sockets: 10_000,
  streams: 10_000,
  tabs: 10_000,
  offeredBytes: 32 * 1024 * 1024,
} as const;

export type OrganisationLimits = { readonly [Name in keyof typeof defaultOrganisationLimits]: number };

export interface TeamOptions {
  readonly providers: readonly ProviderOptions[];
  /**
   * The scopes that clients ask for at first: `tools` by default. Add `tools:destructive` where a provider holds clients to the scopes
   * with which they registered.
   */
  readonly firstScopes?: readonly Scope[];
  /** At least 32 characters, the same at all hubs of a cluster: signs tokens of pages, and seals keys of models. */
  readonly secret: string;
  /** Whether organisations without a model of their own use the hub's: true by default. */
  readonly shareModel?: boolean;
  /** Base URLs that organisations may use for models of their own, beside those of the built-in vendors. */
  readonly modelAddresses?: readonly string[];
  /**
   * How old what a provider said of a person may be where a key of theirs is used, in milliseconds: 30 days by default. After that
   * the person signs in again.
   */
  readonly maxClaimsAge?: number;
}

export interface Provider extends ProviderOptions {
  readonly title: string;
  readonly audiences: readonly string[];
  readonly subjectClaim: string;
  readonly groupsClaim: string;
  readonly adminGroups: readonly string[];
  readonly scopes: Readonly<Record<Scope, string>>;
  readonly organisationLimits: OrganisationLimits;
}

export interface ResolvedTeam {
  readonly providers: readonly Provider[];
  readonly firstScopes: readonly Scope[];
  readonly secret: string;
  readonly shareModel: boolean;
  readonly modelAddresses: readonly string[];
  readonly maxClaimsAge: number;
}

const nameForm = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The audiences are those of the options: the hub's own address is known when it listens. */
export function resolveTeam({
  providers,
  secret,
  firstScopes = ["tools"],
  shareModel = true,
  modelAddresses = [],
  maxClaimsAge = 30 * 24 * 60 * 60 * 1000,
}: TeamOptions): ResolvedTeam {
  if (providers.length === 0) throw invalid("Team mode needs an identity provider.");
  if (!(maxClaimsAge >= 60_000)) throw invalid("maxClaimsAge must be a time of one minute or more.");
  if (secret.length < 32) throw invalid("The secret of team mode must have at least 32 characters.");
  const resolved = providers.map(resolveProvider);
  for (const what of ["name", "issuer"] as const) {
    const known = resolved.map((each) => (what === "issuer" ? plainIssuer(each.issuer) : each.name));
    const again = resolved.find((_, at) => known.indexOf(known[at] ?? "") !== at);
    if (again) throw invalid(`Two identity providers have the ${what} "${again[what]}".`);
  }
  const wrong = modelAddresses.find((address) => !/^https?:$/.test(parseUrl(address)?.protocol ?? ""));
  if (wrong !== undefined) throw invalid(`modelAddresses has "${wrong}", which is no address of a model server.`);
  if (resolved.filter(({ introspection }) => introspection).length > 1)
    throw invalid("Only one identity provider can have introspection: an opaque token does not say whose it is.");
  const other = firstScopes.find((each) => !scopes.includes(each));
  if (firstScopes.length === 0 || other !== undefined)
    throw invalid(`firstScopes must be some of ${scopes.join(", ")}${other === undefined ? "" : `, not "${other}"`}.`);
  return { providers: resolved, secret, firstScopes, shareModel, modelAddresses, maxClaimsAge };
}

/** How the hub verifies the tokens that it signs itself, for pages and terminals. */
export function ownTokens({ secret }: ResolvedTeam) {
  return { secret: teamKey(secret, "tokens").toString("base64url"), issuer: "pagewire" };
}

/** A key for one purpose, of the secret that all hubs of the team have. */
export function teamKey(secret: string, purpose: string): Buffer {
  return createHmac("sha256", secret).update(`pagewire/1 team ${purpose}`).digest();
}

function resolveProvider(given: ProviderOptions): Provider {
  const { name, issuer, clientId, clientSecret, introspection = false, maxTokenAge } = given;
  if (!nameForm.test(name))
    throw invalid(`The name "${name}" of an identity provider needs lower-case letters, digits and "-" only.`);
  checkIssuer(name, issuer);
  if (introspection && (clientId === undefined || clientSecret === undefined))
    throw invalid(`To ask ${name} about opaque tokens, the hub needs a clientId and a clientSecret there.`);
  if (given.organisations && given.organisationClaim === undefined)
    throw invalid(`The organisations of ${name} need an organisationClaim, which names them.`);
  if (given.tokenType !== undefined && given.tokenType !== "at+jwt")
    throw invalid(`The tokenType of ${name} can only be "at+jwt".`);
  if (maxTokenAge !== undefined && !(maxTokenAge >= 1000))
    throw invalid(`maxTokenAge of ${name} must be a time of one second or more.`);
  return {
    title: name,
    audiences: [],
    subjectClaim: "sub",
    groupsClaim: "groups",
    adminGroups: [],
    ...given,
    scopes: { tools: "tools", "tools:destructive": "tools:destructive", admin: "admin", ...given.scopes },
    organisationLimits: readOrganisationLimits(name, given.organisationLimits),
  };
}

function readOrganisationLimits(name: string, given: ProviderOptions["organisationLimits"] = {}): OrganisationLimits {
  for (const [limit, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultOrganisationLimits, limit))
      throw invalid(
        `organisationLimits of ${name} has "${limit}". There are ${Object.keys(defaultOrganisationLimits).join(", ")}.`,
      );
    if (!(typeof value === "number" && value >= 1))
      throw invalid(`${limit} in organisationLimits of ${name} must be a number of 1 or more.`);
  }
  return { ...defaultOrganisationLimits, ...given };
}

/** An attacker who changes an answer over plain http could sign in as anyone. */
function checkIssuer(name: string, issuer: string): void {
  const url = parseUrl(issuer);
  const isLoopback = url !== undefined && isLoopbackHost(url.hostname.replaceAll(/[[\]]/g, ""));
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback)) return;
  throw invalid(`The issuer of ${name} must be an https address, not "${issuer}".`);
}

/** One provider is written in several ways, and could be two organisations by them. */
function plainIssuer(issuer: string): string {
  return new URL(issuer).href.replace(/\/+$/, "");
}

function invalid(message: string): PagewireError {
  return new PagewireError("options-invalid", message);
}
