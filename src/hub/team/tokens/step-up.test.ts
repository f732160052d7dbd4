import { expect, test } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import { createTokenVerifier } from "../../guard/tokens.ts";
import { ownTokens, resolveTeam } from "../../options/team-options.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { startIssuerHub } from "../test-support/issuer-hub.test-helper.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function setUp() {
  const hub = await startIssuerHub();
  const { issuer, team } = hub;
  const post = async (path: string, scope: string | undefined, ...given: [object, Record<string, string>?]) => {
    const [body, headers] = given;
    const token = scope === undefined ? {} : { Authorization: `Bearer ${await issuer.sign({ scope })}` };
    const usual = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const answer = await fetch(hub.url + path, {
      ...{ method: "POST", body: JSON.stringify(body), headers: { ...usual, ...token, ...headers } },
    });
    return { status: answer.status, challenge: answer.headers.get("www-authenticate"), answer };
  };
  return { hub, post, issuer, team };
}

function challengeFor(url: string, scope: string): string {
  const why = 'error="insufficient_scope", error_description="The access token may not be used for this"';
  return `Bearer ${why}, scope="${scope}", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`;
}

test("OA1, OA2: a client without a token learns where to get one", async () => {
  const { hub, post, issuer } = await setUp();
  const { status, challenge } = await post("/mcp", undefined, {});
  const at = `${hub.url}/.well-known/oauth-protected-resource`;
  expect([status, challenge]).toEqual([401, `Bearer scope="tools", resource_metadata="${at}/mcp"`]);
  for (const path of ["", "/mcp", "/mcp/tabs/one"])
    expect(await (await fetch(at + path)).json()).toMatchObject({
      ...{ resource: `${hub.url}/mcp`, authorization_servers: [issuer.issuer], scopes_supported: ["tools"] },
    });
  expect((await fetch(`${at}/other`)).status).toBe(404);
  expect((await fetch(`${(await startHub()).url}/.well-known/oauth-protected-resource`)).status).toBe(404);
  const bad = await post("/mcp", undefined, {}, { Authorization: "Bearer a.b.c" });
  expect([bad.status, bad.challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
});

test("OA3: a token in an address, or in another form, is malformed", async () => {
  const { post } = await setUp();
  for (const { status, challenge } of [
    await post("/mcp?access_token=x", "tools", {}),
    await post("/mcp", undefined, {}, { Authorization: "Bearer a b" }),
  ])
    expect([status, challenge]).toEqual([400, expect.stringContaining('error="invalid_request"')]);
});

test("OA21, OA22: a tool that says that it destroys needs a scope, which the refusal names before a stream begins", async () => {
  const { hub, post } = await setUp();
  const wanted = challengeFor(hub.url, "tools tools:destructive");
  expect((await post("/api/call/look", "tools", {})).status).toBe(200);
  const refused = await post("/api/call/wipe", "tools", {});
  expect([refused.status, refused.challenge]).toEqual([403, wanted]);
  const none = await post("/api/call/look", "openid", {});
  expect([none.status, none.challenge]).toEqual([403, challengeFor(hub.url, "tools")]);
  for (const scope of ["tools:destructive", "admin"])
    expect((await post("/api/call/wipe", scope, {})).status).toBe(200);

  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wipe", arguments: {} } };
  const newest = { ...call, params: { ...call.params, _meta: meta } };
  const words = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "wipe" };
  const stateless = await post("/mcp", "tools", newest, words);
  expect([stateless.status, stateless.challenge]).toEqual([403, wanted]);
  expect((await post("/mcp", "tools:destructive", newest, words)).status).toBe(200);

  const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const begun = await post("/mcp", "tools", { jsonrpc: "2.0", id: 0, method: "initialize", params: client });
  const session = { "Mcp-Session-Id": begun.answer.headers.get("mcp-session-id") ?? "" };
  const older = await post("/mcp", "tools", call, session);
  expect([older.status, older.challenge]).toEqual([403, wanted]);
  // The session goes on with a token that has the scope.
  expect((await post("/mcp", "tools:destructive", { ...call, id: 2 }, session)).status).toBe(200);
});

test("OA22, TM90: a page token is for no more than the access token that it was given for", async () => {
  const { post, team } = await setUp();
  const verify = createTokenVerifier(ownTokens(resolveTeam(team)), defaultLimits);
  for (const scope of ["tools", "tools:destructive"]) {
    const { status, answer } = await post("/api/page-tokens", scope, { origin: shop });
    expect(status).toBe(200);
    const { token } = (await answer.json()) as { readonly token: string };
    expect(await verify(token, "pagewire:page")).toMatchObject({ principal: "acme/ada", scopes: [scope] });
  }
});
