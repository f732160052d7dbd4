// The provider says that a person signed out there (OpenID Connect Back-Channel Logout 1.0).
import { randomUUID } from "node:crypto";
import { decodeJwt, decodeProtectedHeader } from "jose";
import type { JWTPayload } from "jose";
import { PagewireError, isJsonObject } from "../../../wire/index.ts";
import type { HomeStore } from "../../store/index.ts";
import type { IdentityClient } from "./identity-client.ts";
import type { SignIns } from "./sign-ins.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";
/** Max age of a logout token, in seconds. */
const maxTokenAge = 300;

export interface BackChannelOptions {
  readonly clients: ReadonlyMap<string, IdentityClient>;
  readonly signIns: Pick<SignIns, "named" | "end">;
  readonly once: Once;
}

/** Ends the sign-ins that a logout token is about; rejects with `token-invalid` for one that is not good, or was used. */
export async function endByProvider(token: string, { clients, signIns, once }: BackChannelOptions): Promise<void> {
  const client = clientOf(token, clients);
  const claims = await client.verify(token, { maxTokenAge, requiredClaims: ["iat", "jti"] });
  const { sub: subject, sid, jti = "", iat = 0 } = claims;
  if (!isLogout(token, claims)) throw refused("It does not say that somebody signed out.");
  const { name: provider } = client.provider;
  const use = await once.take(`logout ${provider} ${jti}`);
  if (!use) throw refused("It was used before.");
  const about = { provider, subject, sid: typeof sid === "string" ? sid : undefined };
  // A sign-in after the logout is another.
  const found = await signIns.named({ ...about, before: (iat + 1) * 1000 });
  try {
    await Promise.all(found.map((each) => signIns.end(each, "provider")));
  } catch (error) {
    await use.release();
    throw error;
  }
}

function clientOf(token: string, clients: BackChannelOptions["clients"]): IdentityClient {
  for (const client of clients.values()) if (client.isOf(issuerIn(token))) return client;
  throw refused("Its issuer is none of this hub's identity providers.");
}

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    throw refused("It is no JSON Web Token.");
  }
}

function isLogout(token: string, { sub, sid, nonce, events }: JWTPayload): boolean {
  const { typ = "JWT" } = decodeProtectedHeader(token);
  const isAbout = [sub, sid].every((each) => each === undefined || typeof each === "string");
  const isForSomebody = sub !== undefined || sid !== undefined;
  const isEvent = isJsonObject(events) && isJsonObject(events[event]);
  return /^(?:logout\+)?jwt$/i.test(typ) && isAbout && isForSomebody && isEvent && nonce === undefined;
}

function refused(why: string): PagewireError {
  return new PagewireError("token-invalid", `The logout token is not good. ${why}`);
}

/** Things that may happen once, at one of all hubs. */
export interface Once {
  /** Undefined if it happened before. */
  take(name: string): Promise<{ release(): Promise<void> } | undefined>;
}

export function createOnce(homes: HomeStore): Once {
  return {
    async take(name) {
      const mine = randomUUID();
      if ((await homes.take(name, mine)) !== mine) return undefined;
      return { release: () => homes.leave(name, mine) };
    },
  };
}
