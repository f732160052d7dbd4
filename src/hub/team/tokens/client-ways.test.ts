import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { resolveTeam } from "../../options/team-options.ts";
import { IdentityClient } from "../sign-in/identity-client.ts";
import { respondJson, startIssuer } from "../test-support/start-issuer.test-helper.ts";

/** A provider that takes the hub's secret in one way only, and the hub as its client. */
async function setUp(wanted: "header" | "body", refusal: readonly [body: object, status: number]) {
  const issuer = await startIssuer(Date.now);
  const ways: string[] = [];
  const { issuer: address } = issuer;
  const endpoints = { jwks_uri: `${address}/jwks`, token_endpoint: `${address}/token` };
  const about = { issuer: address, ...endpoints, userinfo_endpoint: `${address}/userinfo` };
  issuer.answers.set("/.well-known/openid-configuration", (_, response) => respondJson(response, about));
  issuer.answers.set("/token", async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const way = request.headers.authorization === undefined ? "body" : "header";
    ways.push(way);
    const isGood = way === "header" || form.get("client_secret") === "the secret";
    if (way !== wanted || !isGood) return respondJson(response, ...refusal);
    respondJson(response, { access_token: "a", token_type: "Bearer", refresh_token: "next" });
  });
  issuer.answers.set("/userinfo", (_, response) => respondJson(response, { sub: "ada", groups: ["staff"] }));
  const hub = { name: "acme", issuer: address, clientId: "hub", clientSecret: "the secret" };
  const [provider] = resolveTeam({ secret: "s".repeat(32), providers: [hub] }).providers;
  if (!provider) throw new Error("There is no provider.");
  const client = new IdentityClient({ ...provider, clientId: "hub" }, Date.now);
  return { ways, again: () => client.again({ refresh: "r" }, "ada", async () => {}) };
}

test.each([
  ["header", ["header", "header"]],
  ["body", ["header", "body", "body"]],
] as const)("OA34: a sign-in asks a provider that takes the hub's secret in the %s only", async (wanted, expected) => {
  const { ways, again } = await setUp(wanted, [{ error: "invalid_client" }, 401]);
  expect(await again()).toMatchObject({ claims: { groups: ["staff"] }, tokens: { refresh: "next" } });
  await again();
  expect(ways).toEqual(expected);
});

test("OA34: a refresh token that is refused is not sent a second time", async () => {
  const { ways, again } = await setUp("body", [{ error: "invalid_grant" }, 401]);
  await expect(again()).rejects.toMatchObject({ code: "token-expired" });
  expect(ways).toEqual(["header"]);
});
