// Each error of a provider has a meaning: tested with real answers over HTTP.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../../test/support/free-port.ts";
import { resolveTeam } from "../../options/team-options.ts";
import { IdentityClient } from "../sign-in/identity-client.ts";
import { reasonOf } from "./identity-error.ts";

interface Answer {
  readonly status: number;
  readonly body?: object | string;
  /** WWW-Authenticate. */
  readonly challenge?: string;
}

/** A client of a provider with this answer to each request for tokens or claims. */
async function clientOf({ status, body = {}, challenge }: Answer) {
  const server = createServer(({ url }, response) => {
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    const endpoints = ["token", "userinfo", "authorization"].map((name) => [`${name}_endpoint`, `${issuer}/${name}`]);
    const about = { issuer, jwks_uri: `${issuer}/jwks`, ...Object.fromEntries(endpoints) };
    const isAbout = url === "/.well-known/openid-configuration";
    response.writeHead(isAbout ? 200 : status, {
      "Content-Type": "application/json",
      ...(!isAbout && challenge !== undefined && { "WWW-Authenticate": challenge }),
    });
    response.end(JSON.stringify(isAbout ? about : body));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [provider] = resolveTeam({
    secret: "s".repeat(32),
    providers: [{ name: "acme", title: "Acme", issuer }],
  }).providers;
  if (!provider) throw new Error("There is no provider.");
  return { issuer, client: new IdentityClient({ ...provider, clientId: "hub", clientSecret: "secret" }, Date.now) };
}

const keep = async () => {};
const error = (name: string) => ({ error: name, error_description: "Its own words." });

const ended = [
  "invalid_grant",
  "access_denied",
  "interaction_required",
  "login_required",
  "consent_required",
  "account_selection_required",
];
const busy = ["server_error", "temporarily_unavailable", "slow_down"];
const misregistered = [
  ...["invalid_request", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"],
  ...["unsupported_response_type", "invalid_request_uri", "invalid_request_object", "request_not_supported"],
  ...["request_uri_not_supported", "registration_not_supported", "invalid_target", "an_error_of_its_own"],
];

test.each(ended)("OI15: %s for a refresh token says that the person must sign in again", async (name) => {
  const { client } = await clientOf({ status: 400, body: error(name) });
  const asked = client.again({ refresh: "r" }, "ada", keep);
  await expect(asked).rejects.toMatchObject({ code: "token-expired", message: expect.stringMatching(/Sign in again/) });
});

test.each<[string, Answer]>([
  ...busy.map((name): [string, Answer] => [name, { status: 400, body: error(name) }]),
  ["a proxy's page", { status: 502, body: "Bad gateway" }],
  ["500 with an error that would end it", { status: 500, body: error("invalid_grant") }],
  ["too many requests", { status: 429 }],
])("OI15: a provider that answers %s is away, and ends nothing", async (_, answer) => {
  const { client } = await clientOf(answer);
  for (const tokens of [{ refresh: "r" }, { access: "a" }])
    await expect(client.again(tokens, "ada", keep)).rejects.toMatchObject({
      code: "identity-unavailable",
      retryAfter: 5000,
    });
});

const challenges: readonly [string, Answer][] = [
  ["401 with a Basic challenge", { status: 401, body: error("invalid_client"), challenge: 'Basic realm="x"' }],
  ["401 with a Bearer challenge", { status: 401, challenge: 'Bearer error="invalid_client"' }],
];

test.each<[string, Answer]>([
  ...misregistered.map((name): [string, Answer] => [name, { status: 400, body: error(name) }]),
  // As Auth0 says it.
  ["access_denied", { status: 401, body: error("access_denied") }],
  ...challenges,
])("OI15: %s is about the hub's own client: it ends nothing, and the log says so", async (name, answer) => {
  const { client } = await clientOf(answer);
  const asked = client.again({ refresh: "r" }, "ada", keep);
  const problem: unknown = await asked.catch((thrown: unknown) => thrown);
  expect(problem).toMatchObject({
    code: "identity-unavailable",
    message: expect.stringContaining("Acme refuses the hub's own client"),
  });
  expect(reasonOf(problem)).toContain(answer.challenge === undefined ? `${name}: Its own words.` : "invalid_client");
});

test.each<[string, string, string]>([
  ["no error", "Bearer", "token-expired"],
  ["invalid_token", 'Bearer error="invalid_token"', "token-expired"],
  ["insufficient_scope", 'Bearer error="insufficient_scope"', "identity-unavailable"],
])("OI15: a challenge for the access token with %s", async (_, challenge, code) => {
  const { client } = await clientOf({ status: 401, challenge });
  await expect(client.again({ access: "a" }, "ada", keep)).rejects.toMatchObject({ code });
});

test.each([
  ...ended.map((name) => [name, "code-invalid"] as const),
  ...[...busy, ...misregistered].map((name) => [name, "identity-unavailable"] as const),
])("a way back with the error %s is %s", async (name, code) => {
  const { client, issuer } = await clientOf({ status: 500 });
  const back = new URL(`${issuer}/callback?state=s&error=${name}`);
  await expect(client.finish(back, { state: "s", nonce: "n", verifier: "v" })).rejects.toMatchObject({ code });
});

test("OI15: the log says why a provider could not be reached", async () => {
  const { client } = await clientOf({ status: 200 });
  const provider = new IdentityClient({ ...client.provider, issuer: `http://127.0.0.1:${await freePort()}` }, Date.now);
  const problem: unknown = await provider.begin("https://hub.example/back").catch((thrown: unknown) => thrown);
  expect(problem).toMatchObject({ code: "identity-unavailable" });
  expect(reasonOf(problem)).toMatch(/ECONNREFUSED/);
});
