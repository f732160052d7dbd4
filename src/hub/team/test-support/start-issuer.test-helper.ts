// An issuer that signs anything, for tokens that no real authorization server gives. It counts what it is asked.
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CompactSign, exportJWK, generateKeyPair } from "jose";
import type { CompactJWSHeaderParameters, JWK } from "jose";
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
  /** Further metadata, beside its usual endpoints or in their place. */
  readonly about: Record<string, unknown>;
  /** Other answers than the usual ones, by path. */
  readonly answers: Map<string, (request: IncomingMessage, response: ServerResponse) => unknown>;
  /** How often a path was asked for. */
  asked(path: string): number;
  /** Puts one new key in the place of all. */
  rotate(alg?: string): Promise<void>;
  /** A token that the hub of these tests takes, with other claims or another header, or with a text in the place of claims. */
  sign(claims?: Readonly<Record<string, unknown>> | string, header?: TestHeader): Promise<string>;
}

export interface TestHeader {
  readonly typ?: string | undefined;
  readonly kid?: string | undefined;
  readonly alg?: string;
  readonly crit?: readonly string[];
  readonly [name: string]: unknown;
}

export const audience = "https://hub.example/mcp";

export async function startIssuer(now: () => number = Date.now): Promise<TestIssuer> {
  let key = await newKey("ES256");
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const other = made.answers.get(path);
    if (other && !made.isAway) {
      other(request, response);
      return;
    }
    const isKnown = path === "/jwks" || path === "/.well-known/oauth-authorization-server";
    const about = { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token`, ...made.about };
    respondJson(response, path === "/jwks" ? { keys: [key.jwk] } : about, made.isAway ? 500 : isKnown ? 200 : 404);
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
    about: {},
    answers: new Map(),
    get fetches() {
      return made.asked("/jwks");
    },
    asked: (path) => counts.get(path) ?? 0,
    async rotate(alg = "ES256") {
      key = await newKey(alg);
    },
    sign(claims = {}, { alg = key.alg, kid = key.jwk.kid, ...more } = {}) {
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
      const text = typeof claims === "string" ? claims : JSON.stringify({ ...usual, ...claims });
      const secret = alg === "HS256" ? new TextEncoder().encode(JSON.stringify(key.jwk)) : key.privateKey;
      const header = JSON.parse(JSON.stringify({ alg, kid, typ: "at+jwt", ...more })) as CompactJWSHeaderParameters;
      const crit = Object.fromEntries((more.crit ?? []).map((name) => [name, true]));
      return new CompactSign(new TextEncoder().encode(text)).setProtectedHeader(header).sign(secret, { crit });
    },
  };
  return made;
}

export function respondJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

async function newKey(alg: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, use: "sig", kid: crypto.randomUUID() } };
}
