import { expect, test } from "vitest";
import { setUpTokens as setUp, unavailable } from "../test-support/access-tokens.test-helper.ts";
import { respondJson } from "../test-support/start-issuer.test-helper.ts";
import { checkEndpoint } from "./provider-requests.ts";

type Endpoint = [endpoint: string, issuer: string];

const allowed: readonly Endpoint[] = [
  ["https://id.example.com/keys", "https://id.example.com"],
  ["https://www.googleapis.com/oauth2/v3/certs", "https://accounts.google.com"],
  ["https://id.corp.internal/keys", "https://id.corp.internal"],
  ["https://keys.corp.internal", "https://id.corp.internal"],
  ["https://10.0.0.7/keys", "https://10.0.0.6"],
  ["http://127.0.0.1:5/keys", "http://127.0.0.1:5"],
  ["http://[::1]:5/keys", "http://localhost:6"],
  ["https://id.example.com/keys", "http://127.0.0.1:5"],
];

test.each(allowed)("OA35: %s is an endpoint of the issuer %s", (endpoint, issuer) => {
  checkEndpoint(new URL(endpoint), new URL(issuer));
});

const refused: readonly Endpoint[] = [
  ["http://id.example.com/keys", "https://id.example.com"],
  ["https://127.0.0.1/keys", "https://id.example.com"],
  ["https://localhost/keys", "https://id.example.com"],
  ["https://[::1]/keys", "https://id.example.com"],
  ["https://[::ffff:10.0.0.1]/keys", "https://id.example.com"],
  ["https://2130706433/keys", "https://id.example.com"],
  ["https://169.254.169.254/latest/meta-data", "https://id.example.com"],
  ["https://10.0.0.7/keys", "https://id.example.com"],
  ["https://192.168.0.1./keys", "https://id.example.com"],
  ["https://vault.internal/keys", "https://id.example.com"],
  ["http://id.example.com/keys", "http://127.0.0.1:5"],
  ["http://10.0.0.7/keys", "http://127.0.0.1:5"],
  ["file:///etc/passwd", "http://127.0.0.1:5"],
  ["data:application/json,{}", "https://id.example.com"],
];

test.each(refused)("OA35: %s is no endpoint of the issuer %s", (endpoint, issuer) => {
  expect(() => checkEndpoint(new URL(endpoint), new URL(issuer))).toThrow("where it must not send the hub");
});

const metadata: readonly [name: string, about: (issuer: string) => object][] = [
  ["another issuer", () => ({ issuer: "https://evil.example" })],
  ["no issuer", () => ({ issuer: undefined })],
  ["an issuer with another path", (issuer) => ({ issuer: `${issuer}/tenant` })],
  ["keys at another machine over http", () => ({ jwks_uri: "http://192.0.2.1/jwks" })],
  ["keys in a file", () => ({ jwks_uri: "file:///etc/passwd" })],
  ["keys at no address", () => ({ jwks_uri: "keys" })],
];

test.each(metadata)("OA35: a provider whose metadata names %s is not used", async (_, about) => {
  const { tokens, issuer } = await setUp();
  Object.assign(issuer.about, about(issuer.issuer));
  await expect(tokens.verify(await issuer.sign())).rejects.toMatchObject(unavailable);
  expect(issuer.fetches).toBe(0);
});

test("OA35: metadata that sends introspection to another machine sends no token there", async () => {
  const { tokens, issuer } = await setUp({ introspection: true, clientId: "hub", clientSecret: "secret" });
  issuer.about["introspection_endpoint"] = "http://192.0.2.1/introspect";
  await expect(tokens.verify("opaque")).rejects.toMatchObject(unavailable);
});

async function redirected(path: string) {
  const { tokens, issuer } = await setUp();
  issuer.answers.set("/elsewhere", (_, response) => respondJson(response, { issuer: issuer.issuer, keys: [] }));
  issuer.answers.set(path, (_, response) => response.writeHead(302, { Location: "/elsewhere" }).end());
  return { issuer, verified: tokens.verify(await issuer.sign()) };
}

test.each(["/.well-known/oauth-authorization-server", "/jwks"])(
  "OA35: a redirect of %s is not followed",
  async (path) => {
    const { issuer, verified } = await redirected(path);
    await expect(verified).rejects.toMatchObject(unavailable);
    expect(issuer.asked("/elsewhere")).toBe(0);
  },
);

test("OA35: a redirect of OpenID Connect Discovery is not followed, and RFC 8414 is left", async () => {
  const { issuer, verified } = await redirected("/.well-known/openid-configuration");
  await verified;
  expect(issuer.asked("/elsewhere")).toBe(0);
});

test.each([
  ["huge keys", "/jwks", "x".repeat(1_000_001)],
  ["keys that are no keys", "/jwks", "7"],
  ["metadata that is a list", "/.well-known/oauth-authorization-server", "[]"],
])("OA35: a provider with %s is away", async (_, path, body) => {
  const { tokens, issuer } = await setUp();
  issuer.answers.set(
    path,
    (__, response) => void response.writeHead(200, { "Content-Type": "application/json" }).end(body),
  );
  await expect(tokens.verify(await issuer.sign())).rejects.toMatchObject(unavailable);
});
