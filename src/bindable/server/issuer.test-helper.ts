import { once } from "node:events";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { onTestFinished } from "vitest";

export const audience = "https://api.example.com";

/** An issuer that signs tokens and serves its keys on this machine. */
export async function createIssuer(domain = "example.auth0.com") {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "1", alg: "RS256" }];
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return {
    jwks: `http://127.0.0.1:${port}/keys.json`,
    token: (claims: Record<string, unknown> = {}, expires: number | string = "5m") =>
      new SignJWT({ sub: "auth0|ada", ...claims })
        .setProtectedHeader({ alg: "RS256", kid: "1" })
        .setIssuer(`https://${domain}/`)
        .setAudience(typeof claims["aud"] === "string" ? claims["aud"] : audience)
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(privateKey),
  };
}
