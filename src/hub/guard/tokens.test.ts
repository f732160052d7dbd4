import type { JWTPayload } from "jose";
import { expect, test } from "vitest";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { connectPage, helloOf, openPage } from "../test-support/page.test-helper.ts";
import { answersTo } from "./test-support/answers.test-helper.ts";
import { startKeyServer } from "./test-support/jwks.test-helper.ts";
import { signAgentToken, signPageToken } from "./tokens.ts";

const secret = "a-secret-of-at-least-64-characters-for-the-longest-of-the-hashes";
const jwt = { secret };
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

/** Valid claims of an agent, with changes; an undefined claim is left out. */
function claimsOf(changes: Record<string, unknown> = {}): JWTPayload {
  return JSON.parse(JSON.stringify({ sub: "ann", aud: "pagewire:agent", exp: inAnHour(), ...changes })) as JWTPayload;
}

test("H20: an agent's token is good for agents only, and a page's for pages only", async () => {
  const hub = await startHub({ jwt });
  const invalid = "token-invalid";
  expect(await answersTo(hub, await signAgentToken({ secret, subject: "ann" }))).toEqual([
    "open",
    "open",
    "open",
    invalid,
  ]);
  expect(await answersTo(hub, await signPageToken({ secret, subject: "ann" }))).toEqual([
    invalid,
    "401",
    invalid,
    "open",
  ]);
});

test("H20: without a token every client is refused, whatever its origin", async () => {
  const hub = await startHub({ jwt });
  for (const origin of ["https://shop.example", hub.url]) {
    const page = await openPage(hub.url, { origin });
    page.send(helloOf({}));
    expect(await page.closeName()).toBe("token-required");
  }
  expect((await fetch(`${hub.url}/metrics`)).status).toBe(401);
});

test("H21: while the keys are unavailable, every client is refused, and the log has the reason", async () => {
  const keys = await startKeyServer();
  const hub = await startHub({ jwt: { jwks: "http://127.0.0.1:1/keys" } });
  const internal = "internal-error";
  expect(await answersTo(hub, await keys.sign("RS256", claimsOf()))).toEqual([internal, "500", internal, internal]);
  expect(hub.records).toContainEqual(
    expect.objectContaining({ level: "error", message: expect.stringContaining("http://127.0.0.1:1/keys") }),
  );
});

test("a token of signPageToken or signAgentToken is accepted for its requested time", async () => {
  const issuer = "https://app.example";
  const hub = await startHub({ jwt: { secret, issuer } });
  const page = await connectPage(hub.url, {
    token: await signPageToken({ secret, subject: "ann", issuer, origin: "https://shop.example", app: "shop" }),
  });
  const token = await signAgentToken({ secret, subject: "ann", issuer, expiresIn: 60 });
  expect((await callTool(hub, "work", { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
  expect(page.calls).toHaveLength(1);
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    iat: number;
    exp: number;
  };
  expect(claims.exp - claims.iat).toBe(60);
});
