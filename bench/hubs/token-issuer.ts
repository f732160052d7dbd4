// An identity provider that does nothing but sign access tokens.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK, generateKeyPair } from "jose";

export interface TokenIssuer {
  readonly issuer: string;
  /** An access token of one person for this audience, for an hour. */
  sign(audience: string): Promise<string>;
  close(): void;
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" }];
  const server = createServer(({ url }, response) => {
    const about = { issuer, jwks_uri: `${issuer}/jwks` };
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(url === "/jwks" ? { keys } : about));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    sign: (audience) =>
      new SignJWT({ scope: "tools", client_id: "bench" })
        .setProtectedHeader({ alg: "ES256", kid: "1", typ: "at+jwt" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject("ada")
        .setIssuedAt()
        .setExpirationTime("1h")
        .sign(privateKey),
    close: () => void server.close(),
  };
}
