// The hub as a protected resource (RFC 9728): what it says of itself, and how its refusals say where that stands.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { ScopeNeeded } from "../../http/challenge.ts";
import type { Challenge } from "../../http/challenge.ts";
import { pathOf } from "../../http/exchange.ts";
import type { Provider } from "../../options/team-options.ts";
import type { Scope } from "../../identity/scopes.ts";
import { organisationOf } from "../../common/principals.ts";

export interface ResourceOptions {
  readonly providers: readonly Provider[];
  /** The hub's public address. */
  readonly url: string;
  /** The audience of access tokens: the address of the hub's MCP endpoint. */
  readonly resource: string;
  /** The scopes that clients ask for at first. */
  readonly firstScopes: readonly Scope[];
}

const metadataPath = "/.well-known/oauth-protected-resource";

/** The document about the hub, at the address for all of it, for its MCP endpoint, or for one tab's. */
export function describeResource(options: ResourceOptions, request: IncomingMessage): JsonObject {
  const about = pathOf(request).slice(metadataPath.length);
  if (!/^(?:\/mcp(?:\/tabs\/[^/]+)?)?$/.test(about))
    throw new PagewireError("route-not-found", "There is nothing here.");
  const { providers, resource, firstScopes } = options;
  return {
    resource,
    authorization_servers: providers.map(({ issuer }) => issuer),
    scopes_supported: namesOf(firstScopes, providers[0]),
    bearer_methods_supported: ["header"],
    resource_name: "Pagewire",
    pagewire_providers: providers.map((each) => describeProvider(each, firstScopes)),
  };
}

/** For the command line, which lets its user choose a provider by name, and asks each for scopes by that provider's names. */
function describeProvider(provider: Provider, firstScopes: readonly Scope[]): JsonObject {
  const { name, title, issuer, scopes, commandLineClientId: client } = provider;
  return {
    ...{ name, title, issuer, scopes: { ...scopes }, scopes_supported: namesOf(firstScopes, provider) },
    ...(client !== undefined && { client_id: client }),
  };
}

/** Of fixed words without quotes: an error's own message may have any. */
const words: Readonly<Record<string, readonly [error: string, description: string]>> = {
  "token-invalid": ["invalid_token", "The access token is not valid here"],
  "token-expired": ["invalid_token", "The access token is not valid any more"],
  "scope-needed": ["insufficient_scope", "The access token may not be used for this"],
};

const malformedWords = ["invalid_request", "The request must bring one access token in its header"] as const;

/** RFC 6750: without a token no error is named, only where to get one, and which scopes to ask for. */
export function createChallenge({ providers, url, firstScopes }: ResourceOptions): Challenge {
  const first = namesOf(firstScopes, providers[0]);
  return (error) => {
    if (!PagewireError.isInstance(error)) return {};
    const isMissing = error.code === "token-required" || error.code === "code-invalid";
    const said = error instanceof TokenMalformed ? malformedWords : words[error.code];
    if (!said && !isMissing) return {};
    const scopes = error instanceof ScopeNeeded ? neededFor(error, providers) : first;
    const fields = {
      ...(said && { error: said[0], error_description: said[1] }),
      scope: scopes.join(" "),
      resource_metadata: `${url}${metadataPath}/mcp`,
    };
    const text = Object.entries(fields).map(([name, value]) => `${name}="${value}"`);
    return { "WWW-Authenticate": `Bearer ${text.join(", ")}` };
  };
}

/** All that the request needs at once: clients of some revisions ask for nothing else then, and lose what they had. */
function neededFor({ needed, principal }: ScopeNeeded, providers: readonly Provider[]): readonly string[] {
  return [...new Set(namesOf(["tools", needed], providerOf(principal, providers)))];
}

function providerOf(principal: string, providers: readonly Provider[]): Provider | undefined {
  const [name] = (organisationOf(principal) ?? "").split(".");
  return providers.find((each) => each.name === name);
}

function namesOf(scopes: readonly Scope[], provider: Provider | undefined): string[] {
  return scopes.map((each) => provider?.scopes[each] ?? each);
}

/** A request that brings its token in a way that no client may. */
class TokenMalformed extends PagewireError {
  constructor(message: string) {
    super("request-malformed", message);
  }
}

/** Throws for a token in a form, or at a place, where none may be. */
export function checkTokenForm({ headers, rawHeaders, url = "" }: IncomingMessage): void {
  const { authorization } = headers;
  const count = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "authorization").length;
  const isBearer = /^bearer\b/i.test(authorization ?? "");
  if (count > 1 || (isBearer && !/^bearer +[\w.~+/-]{1,8192}=*$/i.test(authorization ?? "")))
    throw new TokenMalformed("The request must bring one token: Authorization: Bearer <token>.");
  if (/[?&]access_token=/i.test(url)) throw new TokenMalformed("A token must not be in an address, which others log.");
}
