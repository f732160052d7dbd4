// The way from a hub's address to tokens for it.
import { tokenRevocation } from "openid-client";
import type { ServerMetadata, TokenEndpointResponse } from "openid-client";
import { usageError } from "../common/command.ts";
import type { Io } from "../common/io.ts";
import type { HubContext, Tokens } from "../contexts/context.ts";
import { resourceOf, tokensFrom } from "../contexts/context-token.ts";
import { chooseClient } from "./choose-client.ts";
import { signInByCode } from "./device.ts";
import type { DeviceCode } from "./device.ts";
import { chooseProvider, readHubMetadata } from "./hub-metadata.ts";
import type { HubMetadata, HubProvider } from "./hub-metadata.ts";
import { signInByBrowser } from "./loopback.ts";
import { createClient, discoverProvider } from "./provider.ts";

export interface SignInOptions {
  readonly hub: string;
  /** The context that signs in again. */
  readonly before: HubContext | undefined;
  readonly provider: string | undefined;
  readonly clientId: string | undefined;
  /** Beside those that the hub names. */
  readonly scopes: readonly string[];
  readonly isDevice: boolean;
  readonly signal: AbortSignal;
  readonly io: Pick<Io, "fetch" | "now">;
  open(url: string): void;
  showCode(code: DeviceCode): void;
}

export interface SignedIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly tokens: Tokens;
}

export async function signIn(options: SignInOptions): Promise<SignedIn> {
  const { hub, before, signal, io, isDevice } = options;
  const metadata = await readHubMetadata(hub);
  const provider = chooseProvider(metadata, options.provider ?? sameIssuer(before, metadata));
  const { issuer, clientId: published, scopeNames } = provider;
  const server = await discoverProvider(issuer, io.fetch);
  requirePkce(server);
  const known = published === undefined && before?.issuer === issuer ? before.clientId : undefined;
  const client = await chooseClient(server, { given: options.clientId ?? known, published, hub, fetch: io.fetch });
  const more = options.scopes.map((scope) => scopeNames.get(scope) ?? scope);
  const scopes = [...new Set([...provider.firstScopes, ...more])];
  const asked = { client, resource: resourceOf(hub), scope: [...forLater(server), ...scopes].join(" "), signal };
  const answer = isDevice
    ? await signInByCode({ ...asked, show: options.showCode })
    : await signInByBrowser({ ...asked, open: options.open });
  const { client_id: clientId } = client.clientMetadata();
  const granted = grantedIn(answer, scopes).map((scope) => hubsName(scope, provider));
  return { issuer, clientId, scopes: granted, tokens: tokensFrom(answer, io.now()) };
}

function sameIssuer(before: HubContext | undefined, { providers }: HubMetadata): string | undefined {
  return providers.find(({ issuer }) => issuer === before?.issuer)?.issuer;
}

/** The hub's name of a scope that the provider may call something else. */
function hubsName(scope: string, { scopeNames }: HubProvider): string {
  return [...scopeNames].find(([, each]) => each === scope)?.[0] ?? scope;
}

/** The scopes with which providers of OpenID Connect give tokens for later. */
function forLater({ scopes_supported: supported = [] }: ServerMetadata): readonly string[] {
  const wanted = ["openid", "offline_access"];
  return wanted.every((scope) => supported.includes(scope)) ? wanted : [];
}

function requirePkce({ issuer, code_challenge_methods_supported: methods }: ServerMetadata): void {
  if (methods !== undefined && !methods.includes("S256"))
    throw usageError(`The identity provider ${issuer} does not protect codes as it must (PKCE with S256).`);
}

function grantedIn({ scope }: TokenEndpointResponse, asked: readonly string[]): readonly string[] {
  return scope === undefined ? asked : scope.split(" ").filter((each) => each !== "");
}

/** Ends what a sign-in has begun, at its provider. Resolves with whether the provider can. */
export async function revoke(
  { issuer, clientId }: Pick<HubContext, "issuer" | "clientId">,
  { access, refresh }: Tokens,
  { fetch }: Pick<Io, "fetch">,
): Promise<boolean> {
  if (issuer === undefined || clientId === undefined) return false;
  const server = await discoverProvider(issuer, fetch);
  if (server.revocation_endpoint === undefined) return false;
  const client = createClient(server, clientId, fetch);
  if (refresh !== undefined) await tokenRevocation(client, refresh, { token_type_hint: "refresh_token" });
  // Providers that issue JWTs may be unable to take them back; they end by themselves.
  await tokenRevocation(client, access, { token_type_hint: "access_token" }).catch(() => {});
  return true;
}
