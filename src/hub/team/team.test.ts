import { expect, test } from "vitest";
import { parsePolicy } from "../../policy/index.ts";
import { createMemoryStore } from "../store/index.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { signIn } from "../test-support/own.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { nameOrganisation, organisationOf, personOf, serviceNameOf, serviceOf } from "../common/principals.ts";
import { getTokens, publicClient } from "./test-support/get-tokens.test-helper.ts";
import { audience, startIssuer } from "./test-support/start-issuer.test-helper.ts";
import { startProvider } from "./test-support/start-provider.test-helper.ts";
import { asker, pageTokenOf } from "./test-support/team-world.test-helper.ts";

test("a principal names its organisation, with any subject or name of a service", () => {
  const odd = nameOrganisation("acme", "a/b:c d");
  for (const organisation of ["acme", odd])
    for (const name of ["ada", "a/b", "x:service/y", ":service/", "", "two\nlines"]) {
      expect(organisationOf(personOf(organisation, name))).toBe(organisation);
      expect(organisationOf(serviceOf(organisation, name))).toBe(organisation);
      expect(serviceNameOf(personOf(organisation, name))).toBeUndefined();
    }
  expect(serviceNameOf(serviceOf(odd, "deploy"))).toBe("deploy");
  expect(organisationOf("local")).toBeUndefined();
});

test("the provider of these tests gives a person an access token for a resource", async () => {
  const resource = "http://127.0.0.1:1/mcp";
  const resources = { [resource]: { scope: "tools" } };
  const provider = await startProvider({ resources, clients: [publicClient] });
  const tokens = await getTokens(provider, { resource });
  expect(JSON.parse(Buffer.from(tokens.access_token.split(".")[1] ?? "", "base64url").toString())).toMatchObject({
    iss: provider.issuer,
    aud: resource,
    sub: "ada",
    scope: "tools",
    groups: ["staff"],
  });
});

test("a hub in team mode lets in no agent without a token of its providers", async () => {
  const { issuer } = await startProvider();
  const hub = await startHub({ team: { secret: "s".repeat(32), providers: [{ name: "acme", issuer }] } });
  const asked = await fetch(`${hub.url}/api/status`, { headers: { Authorization: `Bearer ${hub.token}` } });
  expect(asked.status).toBe(401);
});

test("TM43: a person's groups count at a hub where only what was made with their token comes", async () => {
  const { issuer, sign } = await startIssuer();
  const store = createMemoryStore();
  const provider = { name: "acme", issuer, audiences: [audience], adminGroups: ["boss"] };
  const rules = [{ group: "guests", decision: "deny" }];
  const start = () =>
    startHub({
      ...{ team: { secret: "s".repeat(32), providers: [provider] }, store: () => store },
      policy: () => parsePolicy(JSON.stringify({ rules })),
    });
  const token = await signIn(await start(), await sign({ groups: ["guests", "boss"], scope: "admin" }));
  const hub = await start();
  await connectPage(hub.url, { token: await pageTokenOf("acme/ada"), tools: ["work"] });
  const { text } = await callTool({ ...hub, token }, "work");
  expect(JSON.parse(text)).toMatchObject({ error: { code: "policy-denied" } });
  expect((await asker(await start(), token)("GET people")).status).toBe(200);
});
