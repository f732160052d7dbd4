// A hub's metadata about sign-in (RFC 9728).
import { PagewireError, isJsonObject, parseJsonObject, parseUrl } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";
import { resourceOf } from "../contexts/context-token.ts";
import { readStart } from "../reach-hub/ask-health.ts";
import { hubAddress, isLoopback } from "../reach-hub/find-hub.ts";
import { noAnswer } from "../reach-hub/no-answer.ts";
import { sendOverHttp } from "../reach-hub/send-over-http.ts";

/** An identity provider, as the hub describes it. */
export interface HubProvider {
  readonly issuer: string;
  /** Its name at the hub; undefined where the hub gives it none. */
  readonly name: string | undefined;
  /** The client of the command line that is registered there. */
  readonly clientId: string | undefined;
  /** The scopes to ask for at first, by the provider's names. */
  readonly firstScopes: readonly string[];
  /** The provider's names of scopes, by the hub's. */
  readonly scopeNames: ReadonlyMap<string, string>;
}

export interface HubMetadata {
  readonly hub: string;
  readonly providers: readonly HubProvider[];
}

const answerTimeout = 10_000;
const maxLength = 64 * 1024;

/** A hub's own paths, as people copy them from a browser or a client's settings. */
const ownPaths = /\/(?:(?:mcp|console|sign-in|api|\.well-known)(?:\/.*)?|agent)$/;

const needsNoSignIn = "A hub of this machine needs no sign-in: npx pagewire context use local";

/** The address of a hub to sign in to: what is signed in by a token needs a hub that no one else can pretend to be. */
export function signInAddress(given: string): string {
  const address = given.includes("://") ? given : `https://${given}`;
  const { username, password } = parseUrl(address) ?? {};
  if (username || password)
    throw usageError("A hub's address has no user and no password. Leave out what is before the @.");
  const hub = hubAddress(address).replace(ownPaths, "");
  if (hub.startsWith("https:")) return hub;
  throw usageError(
    isLoopback(hub)
      ? `One signs in to a hub over https only, and ${hub} is not. ${needsNoSignIn}`
      : `One signs in to a hub over https only: over http others on the way could take the token, and pretend to be the hub. Write: npx pagewire login ${hub.replace("http:", "https:")}`,
  );
}

export async function readHubMetadata(hub: string): Promise<HubMetadata> {
  const { origin, pathname } = new URL(resourceOf(hub));
  const { status, text } = await read(`${origin}/.well-known/oauth-protected-resource${pathname}`, hub);
  const document = parseJsonObject(text, 8);
  if (status === 404) {
    const message = `Nobody signs in to the hub ${hub}: it is not in team mode. With a token for it: PAGEWIRE_URL=${hub} PAGEWIRE_TOKEN=…`;
    throw new PagewireError("route-not-found", message);
  }
  if (status !== 200 || document === undefined)
    throw new PagewireError("hub-unreachable", `Something answers at ${hub}, but not as a hub: it says ${status}.`);
  return parseMetadata(hub, document);
}

function parseMetadata(hub: string, document: JsonObject): HubMetadata {
  const { resource, authorization_servers, scopes_supported, pagewire_providers } = document;
  if (resource !== resourceOf(hub)) {
    const message = `What answers at ${hub} says that it is ${JSON.stringify(resource ?? null)}. Sign in to a hub by its own address.`;
    throw new PagewireError("hub-not-proven", message);
  }
  const described = Array.isArray(pagewire_providers) ? pagewire_providers.filter(isJsonObject) : [];
  const providers = textsIn(authorization_servers).map((issuer) => {
    const about = described.find((each) => each["issuer"] === issuer) ?? {};
    return parseProvider(issuer, { scopes_supported: scopes_supported ?? null, ...about });
  });
  if (providers.length === 0) throw new PagewireError("hub-unreachable", `The hub ${hub} names no identity provider.`);
  return { hub, providers };
}

function parseProvider(issuer: string, { name, client_id: client, scopes, scopes_supported }: JsonObject): HubProvider {
  const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const named = Object.entries(isJsonObject(scopes) ? scopes : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return {
    ...{ issuer, name: textOf(name), clientId: textOf(client) },
    ...{ firstScopes: textsIn(scopes_supported), scopeNames: new Map(named) },
  };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

async function read(url: string, hub: string): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await sendOverHttp(url, { headers: { accept: "application/json" }, timeout: answerTimeout });
    return { status: response.statusCode ?? 0, text: await readStart(response, maxLength) };
  } catch (error) {
    throw noAnswer(hub, error, isLoopback(hub) ? needsNoSignIn : undefined);
  }
}

/** The provider that was named, by its name, its address or a part of that, or the only one. */
export function chooseProvider({ hub, providers }: HubMetadata, wanted: string | undefined): HubProvider {
  const fits = providers.filter(({ name, issuer }) => wanted === undefined || [name, issuer].includes(wanted));
  const found = fits.length > 0 ? fits : providers.filter(({ issuer }) => issuer.includes(wanted ?? ""));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const list = providers.map(({ name, issuer }) => (name === undefined ? issuer : `${name} (${issuer})`)).join(", ");
  throw usageError(
    wanted === undefined || found.length > 1
      ? `Several identity providers sign people in to ${hub}. Choose yours with --provider NAME. There are: ${list}`
      : `No identity provider of ${hub} is called ${JSON.stringify(wanted)}. There are: ${list}`,
  );
}
