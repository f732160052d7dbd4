// A hub's metadata about sign-in (RFC 9728).
import { PagewireError, messageOf, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { usageError } from "../common/command.ts";
import { resourceOf } from "../contexts/context-token.ts";
import { readStart } from "../reach-hub/ask-health.ts";
import { hubAddress } from "../reach-hub/find-hub.ts";
import { certificateProblem, sendOverHttp } from "../reach-hub/send-over-http.ts";

export interface HubMetadata {
  readonly hub: string;
  readonly issuers: readonly string[];
  /** The scopes to ask for at first. */
  readonly scopes: readonly string[];
  /** The client of the command line that is registered at a provider. */
  clientId(issuer: string): string | undefined;
}

const answerTimeout = 10_000;
const maxLength = 64 * 1024;

/** The address of a hub to sign in to: what is signed in by a token needs a hub that no one else can pretend to be. */
export function signInAddress(given: string): string {
  const hub = hubAddress(given);
  if (hub.startsWith("https:")) return hub;
  throw usageError(
    `One signs in to a hub over https only, and ${hub} is not. A hub of this machine needs no sign-in: npx pagewire context use local`,
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
  const { resource, authorization_servers, scopes_supported, pagewire_client_id: client } = document;
  if (resource !== resourceOf(hub)) {
    const message = `What answers at ${hub} says that it is ${JSON.stringify(resource ?? null)}. Sign in to a hub by its own address.`;
    throw new PagewireError("hub-not-proven", message);
  }
  const issuers = textsIn(authorization_servers);
  if (issuers.length === 0) throw new PagewireError("hub-unreachable", `The hub ${hub} names no identity provider.`);
  const clients = Object(document["pagewire_client_ids"]) as Readonly<Record<string, unknown>>;
  return {
    ...{ hub, issuers, scopes: textsIn(scopes_supported) },
    clientId(issuer) {
      const own = Object.hasOwn(clients, issuer) ? clients[issuer] : issuer === issuers[0] ? client : undefined;
      return typeof own === "string" && own !== "" ? own : undefined;
    },
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
    const problem = certificateProblem(error);
    const message = problem
      ? `Something answers at ${hub}. ${problem}`
      : `No hub answers at ${hub}: ${messageOf(error)}.`;
    throw new PagewireError("hub-unreachable", message, { cause: error });
  }
}

/** The provider that was named, by its address or a part of it, or the only one. */
export function chooseIssuer({ hub, issuers }: HubMetadata, wanted: string | undefined): string {
  const fits = issuers.filter((issuer) => wanted === undefined || issuer === wanted);
  const found = fits.length > 0 ? fits : issuers.filter((issuer) => issuer.includes(wanted ?? ""));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const list = issuers.join(", ");
  throw usageError(
    wanted === undefined || found.length > 1
      ? `Several identity providers sign people in to ${hub}: choose one by --provider and its address or a part of it. There are: ${list}`
      : `No identity provider of ${hub} is called ${JSON.stringify(wanted)}. There are: ${list}`,
  );
}
