// An issuer that signs anything, for tokens that no real authorization server gives. It counts what it is asked.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import type { JWK } from "jose";
import { onTestFinished } from "vitest";

interface Key {
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

export interface TestIssuer {
  readonly issuer: string;
  /** How often its keys were fetched. */
  readonly fetches: number;
  /** While set, it answers nothing but errors. */
  isAway: boolean;
  /** Puts one new key in the place of all. */
  rotate(alg?: string): Promise<void>;
  /** A token that the hub of these tests takes, with other claims or another header. */
  sign(
    claims?: Readonly<Record<string, unknown>>,
    header?: { readonly typ?: string; readonly kid?: string; readonly alg?: string },
  ): Promise<string>;
}

export const audience = "https://hub.example/mcp";

export async function startIssuer(now: () => number = Date.now): Promise<TestIssuer> {
  let key = await newKey("ES256");
  let fetches = 0;
  const server = createServer((request, response) => {
    if (request.url === "/jwks") fetches++;
    const isKnown = request.url === "/jwks" || request.url === "/.well-known/oauth-authorization-server";
    const about = { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` };
    const body = request.url === "/jwks" ? { keys: [key.jwk] } : about;
    response.writeHead(made.isAway ? 500 : isKnown ? 200 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const made: TestIssuer = {
    issuer,
    isAway: false,
    get fetches() {
      return fetches;
    },
    async rotate(alg = "ES256") {
      key = await newKey(alg);
    },
    sign(claims = {}, { alg = key.alg, kid = key.jwk.kid ?? "", ...header } = {}) {
      const at = Math.floor(now() / 1000);
      const usual = {
        iss: issuer,
        aud: audience,
        sub: "ada",
        iat: at,
        exp: at + 60,
        scope: "tools",
        client_id: "agent",
      };
      const payload = Object.fromEntries(
        Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined),
      );
      const secret = alg === "HS256" ? new TextEncoder().encode(JSON.stringify(key.jwk)) : key.privateKey;
      return new SignJWT(payload).setProtectedHeader({ alg, kid, typ: "at+jwt", ...header }).sign(secret);
    },
  };
  return made;
}

async function newKey(alg: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, use: "sig", kid: crypto.randomUUID() } };
}
