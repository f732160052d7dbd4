import { expect, test } from "vitest";
import { signAgentToken, signPageToken } from "./guard/tokens.ts";
import { startHub } from "./test-support/hub.test-helper.ts";
import type { TestHub } from "./test-support/hub.test-helper.ts";
import { shop } from "./test-support/peer.test-helper.ts";

const secret = "s".repeat(40);
const chat = "/rehearsal/openai/v1/chat/completions";
const body = JSON.stringify({ model: "gpt-x", messages: [{ role: "user", content: "Hello" }] });

function ask({ url }: Pick<TestHub, "url">, headers: Record<string, string>, path = chat): Promise<Response> {
  return fetch(`${url}${path}`, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });
}

test("the rehearsal answers programs that bring the hub's token, also where the vendors' libraries bring their keys", async () => {
  const hub = await startHub();
  for (const headers of [
    { Authorization: `Bearer ${hub.token}` },
    { "x-api-key": hub.token },
    { "api-key": hub.token },
    { "x-goog-api-key": hub.token },
  ]) {
    const response = await ask(hub, headers);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("rehearsal")]);
  }
  for (const headers of [{}, { "x-api-key": "wrong" }, { "x-api-key": hub.token, "api-key": hub.token }]) {
    const response = await ask(hub, headers);
    expect([response.status, await response.json()]).toMatchObject([401, { error: { message: expect.any(String) } }]);
  }
  expect((await fetch(`${hub.url}/metrics`, { headers: { "x-api-key": hub.token } })).status).toBe(401);
});

test("the rehearsal answers pages of allowed origins, which a browser lets read the answer, and no others", async () => {
  const hub = await startHub();
  const preflight = (origin: string) =>
    fetch(`${hub.url}${chat}`, {
      method: "OPTIONS",
      headers: { Origin: origin, "Access-Control-Request-Headers": "authorization,content-type" },
    });
  const welcome = await preflight(shop);
  expect([
    welcome.status,
    ...["origin", "methods", "headers"].map((name) => welcome.headers.get(`access-control-allow-${name}`)),
  ]).toEqual([200, shop, "GET, POST", "authorization,content-type"]);
  const answer = await ask(hub, { Origin: shop, Authorization: "Bearer sk-of-the-page" });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, shop]);
  for (const origin of ["https://evil.example", "null"]) {
    const refused = await ask(hub, { Origin: origin, Authorization: `Bearer ${hub.token}` });
    for (const response of [await preflight(origin), refused]) {
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
    expect(refused.status).toBe(403);
  }
});

test("in jwt mode there is no rehearsal unless it is asked for, and then for agents' tokens only", async () => {
  const options = { jwt: { secret } };
  const [forAgents, forPages] = [
    await signAgentToken({ secret, subject: "ada" }),
    await signPageToken({ secret, subject: "ada" }),
  ];
  const agent = { Authorization: `Bearer ${forAgents}` };
  const without = await startHub(options);
  expect((await ask(without, agent)).status).toBe(404);
  expect((await fetch(`${without.url}${chat}`, { method: "OPTIONS" })).status).toBe(404);
  for (const asked of [{ rehearsal: true }, { ai: { provider: "rehearsal" } as const }]) {
    const hub = await startHub({ ...options, ...asked });
    expect((await ask(hub, agent)).status).toBe(200);
    expect((await ask(hub, { Authorization: `Bearer ${forPages}` })).status).toBe(401);
    expect((await ask(hub, { Origin: shop })).status).toBe(401);
  }
  expect((await ask(await startHub({ rehearsal: false }), {})).status).toBe(401);
});
