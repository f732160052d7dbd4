import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK, exportSPKI, generateKeyPair } from "jose";
import type { CryptoKey, JWTPayload } from "jose";
import { onTestFinished } from "vitest";

/** A server of public keys, with the private keys. */
export interface KeyServer {
  readonly url: string;
  /** How often the keys were fetched. */
  readonly requests: number;
  /** The public keys as text, for attacks that use it as a shared secret. */
  readonly publicTexts: readonly string[];
  sign(algorithm: "RS256" | "ES256", claims: JWTPayload): Promise<string>;
}

/** Starts a server of public keys on loopback; it is closed after the test. */
export async function startKeyServer(): Promise<KeyServer> {
  const pairs = { RS256: await generateKeyPair("RS256"), ES256: await generateKeyPair("ES256") };
  const keys = await Promise.all(
    Object.entries(pairs).map(async ([alg, { publicKey }]) => ({ ...(await exportJWK(publicKey)), alg, kid: alg })),
  );
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.setHeader("Content-Type", "application/json").end(JSON.stringify({ keys }));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/keys`,
    get requests() {
      return requests;
    },
    publicTexts: [await exportSPKI(pairs.RS256.publicKey), JSON.stringify(keys[0])],
    sign: (algorithm, claims) => sign(claims, { alg: algorithm, kid: algorithm }, pairs[algorithm].privateKey),
  };
}

/** Signs claims without checking them. */
export function sign(
  claims: JWTPayload,
  header: { readonly alg: string; readonly kid?: string },
  key: CryptoKey | Uint8Array,
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}
