// The hub's requests to an identity provider about tokens: where they may go, how long they take, how much is read.
import * as oidc from "openid-client";
import { PagewireError, isLoopbackHost, isPrivateHost } from "../../../wire/index.ts";
import type { Note } from "../../common/log.ts";
import type { Provider } from "../../options/team-options.ts";

export interface IssuerOptions {
  readonly now: () => number;
  readonly note: Note;
}

/** Max time for an answer, in milliseconds. */
const answerTime = 5000;
/** Min time between two questions of one kind to a provider that is away, and between two for new keys. */
export const cooldown = 1000;
const mostBytes = 1_000_000;

/** The provider did not answer in time. */
export class TimedOut extends TypeError {}

/** Fetches from a provider. It follows no redirect, and goes only where the issuer's metadata may send the hub. */
export function createProviderFetch(issuer: string): oidc.CustomFetch {
  const own = new URL(issuer);
  return async (address, { method, headers: sent, body: form }) => {
    checkEndpoint(new URL(address), own);
    try {
      const signal = AbortSignal.timeout(answerTime);
      const asked = { method, headers: sent, ...(form !== undefined && { body: form }) };
      const answer = await fetch(address, { ...asked, redirect: "manual", signal });
      const { status, headers } = answer;
      const body = await readBounded(answer);
      return new Response(status === 204 || status === 304 ? null : body, { status, headers });
    } catch (error) {
      throw Object(error).name === "TimeoutError"
        ? new TimedOut("The provider does not answer.", { cause: error })
        : error;
    }
  };
}

async function readBounded({ body }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > mostBytes) throw new TypeError(`The provider's answer is larger than ${mostBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Other hosts are usual. But metadata from elsewhere must not make the hub a client of what only its own network reaches. */
export function checkEndpoint(endpoint: URL, issuer: URL): void {
  if (endpoint.origin === issuer.origin) return;
  const isSafe =
    endpoint.protocol === "https:" ||
    (endpoint.protocol === "http:" && issuer.protocol === "http:" && isLoopbackHost(endpoint));
  if (isSafe && (isPrivateHost(issuer) || !isPrivateHost(endpoint))) return;
  throw new TypeError(`The provider's metadata names ${endpoint.origin}, where it must not send the hub.`);
}

/** The provider's metadata, by OpenID Connect Discovery, else by RFC 8414. It must name the issuer that was asked. */
export async function discover({ issuer, clientId = "pagewire" }: Provider): Promise<oidc.ServerMetadata> {
  const address = new URL(issuer);
  const by = async (algorithm: "oidc" | "oauth2") => {
    const config = await oidc.discovery(address, clientId, undefined, oidc.None(), {
      algorithm,
      [oidc.customFetch]: createProviderFetch(issuer),
      execute: address.protocol === "http:" ? [oidc.allowInsecureRequests] : [],
    });
    return config.serverMetadata();
  };
  return by("oidc").catch((error: unknown) => {
    if (error instanceof TimedOut) throw error;
    return by("oauth2");
  });
}

export function unavailable({ name }: Provider, error: unknown): PagewireError {
  const message = `The identity provider ${name} cannot be reached, so that no new token of it can be checked. Try again in a moment.`;
  return new PagewireError("identity-unavailable", message, { cause: error, retryAfter: cooldown });
}
