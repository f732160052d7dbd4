// Models of organisations, at real hubs, with real servers that speak a vendor's format.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startHubs } from "../cluster/hubs.test-helper.ts";
import { openStore } from "../store/index.ts";
import { makeFolder } from "../store/test-support/store-contract.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { askOwn, errorOf } from "../test-support/own.test-helper.ts";
import { sayAlways } from "../doors/core/model.test-helper.ts";
import { startModelServer } from "./test-support/model-server.test-helper.ts";
import { talkAs } from "./test-support/team-talk.test-helper.ts";
import { asker, seedPostgres, seedStore, startTeamHub, team } from "./test-support/team-world.test-helper.ts";

const apiKey = "sk-acme-canary-0123456789";
const hubs = () =>
  ({ provider: "openai", model: "gpt-hub", apiKey: "sk-the-hubs", fetch: sayAlways("The hub's.").fetch }) as const;

async function withServer(turn: Parameters<typeof startModelServer>[0] = () => ({ text: "Acme's." })) {
  const server = await startModelServer(turn);
  const set = { provider: "openai", models: ["gpt-acme", "gpt-small"], apiKey, baseUrl: server.address };
  return { server, set, options: { team: { ...team, modelAddresses: [server.address] }, ai: hubs() } };
}

const ask = async (hub: { readonly url: string }, principal: string) =>
  (await talkAs(hub, principal)).run("send", "x", {});

test("TM80: an organisation's model and key are for its own people, and others go on with the hub's", async () => {
  const { server, set, options } = await withServer();
  const hub = await startTeamHub(options);
  expect(await ask(hub, "acme/ada")).toBe("The hub's.");
  expect((await hub.acme("PUT model", set)).status).toBe(200);
  expect(await ask(hub, "acme/ada")).toBe("Acme's.");
  expect(await ask(hub, "globex/ada")).toBe("The hub's.");
  expect(server.keys).toEqual([`Bearer ${apiKey}`]);
  expect(server.requests[0]?.body.model).toBe("gpt-acme");
  const small = await talkAs(hub, "acme/bob");
  expect(await small.run("models")).toMatchObject([{ id: "gpt-acme" }, { id: "gpt-small" }]);
  await small.run("send", "x", { model: "gpt-small" });
  await expect(small.run("send", "x", { model: "gpt-hub" })).rejects.toMatchObject({ code: "option-refused" });
  expect((await hub.acme("DELETE model")).status).toBe(204);
  expect(await ask(hub, "acme/ada")).toBe("The hub's.");
});

test("TM80: an operator may keep the hub's model from organisations that have none of their own", async () => {
  const { set, options } = await withServer();
  const hub = await startTeamHub({ ...options, team: { ...options.team, shareModel: false } });
  const message = expect.stringContaining("An administrator of it can set one") as string;
  await expect(ask(hub, "acme/ada")).rejects.toMatchObject({ code: "model-missing", message });
  await hub.acme("PUT model", set);
  expect(await ask(hub, "acme/ada")).toBe("Acme's.");
  await expect(ask(hub, "globex/ada")).rejects.toMatchObject({ code: "model-missing" });
});

test("TM81: a key is in no answer, log, audit or database, also after a restart, by which it still works", async () => {
  const { server, set, options } = await withServer();
  const folder = makeFolder();
  const database = join(folder, "hub.db");
  const store = () => openStore({ database });
  const before = await store();
  const keys = await seedStore(before);
  await before.close();
  const hub = await startHub({ ...options, store });
  const acme = asker(hub, keys.acme);
  const answers = [await acme("PUT model", set), await acme("GET model")];
  expect(answers[1]?.body).toEqual({
    providers: expect.arrayContaining(["openai", "anthropic"]) as string[],
    model: {
      ...{ provider: "openai", models: ["gpt-acme", "gpt-small"], baseUrl: server.address, hasKey: true },
      ...{ setBy: "acme:service/admin", setAt: expect.any(Number) as number },
    },
  });
  expect(await ask(hub, "acme/ada")).toBe("Acme's.");
  await hub.close();
  const again = await startHub({ ...options, store });
  expect(await ask(again, "acme/ada")).toBe("Acme's.");
  expect(server.keys).toEqual([`Bearer ${apiKey}`, `Bearer ${apiKey}`]);
  await again.close();
  const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
  const all = [JSON.stringify(answers), JSON.stringify([...hub.records, ...again.records]), ...kept].join("\n");
  expect(all).toContain("gpt-acme");
  for (const secret of [apiKey, "canary", Buffer.from(apiKey).toString("base64url").slice(0, 20)])
    expect(all.includes(secret)).toBe(false);
});

test("TM81: hubs with another secret cannot read a key, and do not take the hub's model instead", async () => {
  const { set, options } = await withServer();
  const hub = await startTeamHub(options);
  await hub.acme("PUT model", set);
  const other = await startHub({
    ...options,
    team: { ...options.team, secret: "t".repeat(32) },
    store: () => hub.store,
  });
  const { body } = await asker(other, hub.keys.acme)("GET model");
  expect(body).toMatchObject({ model: { hasKey: true } });
  const record = (await hub.store.records("organisations", "acme")).get("acme/model");
  await hub.store.setRecord("organisations", "globex/model", { ...record, principal: "globex" });
  await expect(ask(hub, "globex/ada")).rejects.toMatchObject({
    code: "model-missing",
    message: expect.stringContaining(
      "an administrator of globex has set has a key that this hub cannot read",
    ) as string,
  });
  expect(await ask(hub, "acme/ada")).toBe("Acme's.");
});

test("TM82: a key that the provider refuses is a matter for the organisation's admin, and the words do not show it", async () => {
  const refused = () => Response.json({ error: { message: `Incorrect API key provided: ${apiKey}` } }, { status: 401 });
  const { set, options } = await withServer(refused);
  const hub = await startTeamHub(options);
  await hub.acme("PUT model", set);
  const ada = await talkAs(hub, "acme/ada");
  expect(await ada.run("send", "x", {})).toBeNull();
  const body = expect.stringMatching(
    /does not accept the key of your organisation\. An administrator of acme must/,
  ) as string;
  expect(ada.values["error"]).toMatchObject({ status: 401, body });
  expect(JSON.stringify([ada.came, hub.records]).includes("canary")).toBe(false);
});

test("TM82: an error of the provider that repeats the key has it masked", async () => {
  const { set, options } = await withServer(
    () => new Response(`{"error":{"message":"bad ${apiKey}"}}`, { status: 400 }),
  );
  const hub = await startTeamHub(options);
  await hub.acme("PUT model", set);
  const ada = await talkAs(hub, "acme/ada");
  expect(await ada.run("send", "x", {})).toBeNull();
  expect(ada.values["error"]).toMatchObject({ status: 400, body: expect.stringContaining("bad …") as string });
  expect(JSON.stringify(ada.came).includes("canary")).toBe(false);
});

test("TM83: a model set at one hub is in force at all, in open conversations too, and a removed key is used no more", async () => {
  let finish = () => {};
  const calls = [{ name: "again" }];
  const waits = new Promise<void>((resolve) => (finish = resolve));
  const { server, set, options } = await withServer((_, round) =>
    round === 1 ? { calls, waits } : { text: "Acme's." },
  );
  const again = { name: "again", description: "x", parameters: { type: "object" }, handler: () => "once more" };
  const { database, keys } = await seedPostgres();
  const { a, b } = await startHubs({
    ...options,
    ai: { ...hubs(), tools: [again] },
    store: () => openStore({ database }),
  });
  const ada = await talkAs(b, "acme/ada");
  expect(await ada.run("send", "x", {})).toBe("The hub's.");
  await asker(a, keys.acme)("PUT model", set);
  await expect.poll(() => ada.run("send", "x", {})).toBe("Acme's.");
  const asked = server.requests.length;
  const answer = ada.run("send", "x", {}).catch(() => null);
  await expect.poll(() => server.requests.length).toBe(asked + 1);
  await asker(a, keys.acme)("DELETE model");
  const other = await talkAs(b, "acme/bob");
  await expect.poll(() => other.run("send", "x", {})).toBe("The hub's.");
  const before = server.requests.length;
  finish();
  await answer;
  expect(server.requests.length).toBe(before);
  expect(ada.values["error"]).toMatchObject({ message: expect.stringContaining("Another model was set") as string });
});

test.each([
  [{ provider: "openai", model: "m", apiKey, baseUrl: "http://127.0.0.1:9/v1" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://169.254.169.254/v1" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://llm.attacker.example/v1" }, "address-refused"],
  [{ provider: "azure", model: "m", apiKey, baseUrl: "https://openai.azure.com.attacker.example" }, "address-refused"],
  [{ provider: "azure", model: "m", apiKey, baseUrl: "http://acme.openai.azure.com" }, "address-refused"],
  [{ provider: "azure", model: "m", apiKey, baseUrl: "https://acme.openai.azure.com:8443" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://acme.openai.azure.com" }, "address-refused"],
  [{ provider: "azure", model: "m", apiKey, baseUrl: "https://acme.openai.azure.com." }, "address-refused"],
  [{ provider: "azure", model: "m", apiKey, baseUrl: "https://a@acme.openai.azure.com" }, "request-malformed"],
  [
    { provider: "bedrock", model: "m", apiKey, baseUrl: "https://bedrock-runtime.x.amazonaws.com.cn" },
    "address-refused",
  ],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://[::1]/v1" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://[::ffff:169.254.169.254]/v1" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://2130706433/v1" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://metadata.google.internal/v1" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://rebinding.attacker.example/v1" }, "address-refused"],
  [{ provider: "azure", model: "m", apiKey }, "address-refused"],
  [{ provider: "ollama", model: "m", apiKey }, "address-refused"],
  [{ provider: "lmstudio", model: "m", apiKey }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://allowed.example/v1/../admin" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://allowed.example/v1/..%2Fadmin" }, "request-malformed"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://allowed.example/v1/..%5cadmin" }, "request-malformed"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://allowed.example/v1/..%252fadmin" }, "request-malformed"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://allowed.example/v12" }, "address-refused"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://u:p@allowed.example/v1" }, "request-malformed"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "https://allowed.example/v1?key=x" }, "request-malformed"],
  [{ provider: "openai", model: "m", apiKey, baseUrl: "file:///etc/passwd" }, "request-malformed"],
  [{ provider: "rehearsal", model: "m", apiKey }, "request-malformed"],
  [{ provider: "openai", apiKey }, "request-malformed"],
  [{ provider: "openai", model: "m" }, "request-malformed"],
  [{ provider: "openai", model: "m", apiKey: "two\nlines-of-a-key" }, "request-malformed"],
  [{ provider: "openai", model: "m", apiKey, headers: { Host: "x" } }, "request-malformed"],
])("TM84: the model %j is refused, and no key is named", async (asked, code) => {
  const hub = await startTeamHub({ team: { ...team, modelAddresses: ["https://allowed.example/v1/"] }, ai: hubs() });
  const answer = await hub.acme("PUT model", asked);
  expect(errorOf(answer)[1]).toBe(code);
  expect(JSON.stringify(answer).includes("canary")).toBe(false);
  expect((await hub.acme("GET model")).body).toMatchObject({ model: null, hasHubs: true });
});

test("TM84: vendors are named without an address, their customers' hosts and what the operator allows with one", async () => {
  const hub = await startTeamHub({ team: { ...team, modelAddresses: ["https://allowed.example/v1/"] }, ai: hubs() });
  for (const asked of [
    { provider: "anthropic", model: "claude", apiKey },
    { provider: "azure", model: "m", apiKey, baseUrl: "https://acme.openai.azure.com/" },
    { provider: "bedrock", model: "m", apiKey, baseUrl: "https://bedrock-runtime.eu-central-1.amazonaws.com" },
    { provider: "ollama", model: "m", baseUrl: "https://allowed.example/v1/sub" },
  ])
    expect((await hub.acme("PUT model", asked)).body).toMatchObject({ model: { provider: asked.provider } });
  expect((await hub.acme("PUT model", { provider: "anthropic", model: "claude", apiKey })).status).toBe(200);
  const other = await hub.acme("PUT model", { provider: "anthropic", models: ["claude-new"] });
  expect(other.body).toMatchObject({ model: { models: ["claude-new"], hasKey: true } });
  expect((await hub.acme("PUT model", { provider: "groq", model: "m" })).status).toBe(400);
});

test("TM84: a list of models and a test of one do not follow a redirect either", async () => {
  const reached: string[] = [];
  const other = createServer((request, response) => {
    reached.push(String(request.url));
    response.end("{}");
  });
  const redirecting = createServer((request, response) => {
    const { port } = other.address() as AddressInfo;
    response.writeHead(302, { Location: `http://127.0.0.1:${port}${request.url}` }).end();
  });
  for (const server of [other, redirecting]) {
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
  }
  const baseUrl = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/v1`;
  const hub = await startTeamHub({ team: { ...team, modelAddresses: [baseUrl] }, ai: hubs() });
  await hub.acme("PUT model", { provider: "openai", model: "m", apiKey, baseUrl });
  const asking = { token: hub.keys.acme, origin: undefined };
  const { body: list } = await askOwn(hub, "GET /api/models", asking);
  const { body: tested } = await askOwn(hub, "POST /api/model/test", { ...asking, body: "{}" });
  expect(list).toMatchObject({ problem: expect.any(String) });
  expect(tested).toMatchObject({ isOk: false });
  expect(reached).toEqual([]);
  expect(JSON.stringify([list, tested, hub.records])).not.toContain("canary");
});

test("TM84: a server that redirects elsewhere is not followed", async () => {
  const elsewhere = await startModelServer(() => ({ text: "Reached." }));
  const headers = { Location: `${elsewhere.address}/chat/completions` };
  const { set, options } = await withServer(() => new Response(null, { status: 307, headers }));
  const hub = await startTeamHub(options);
  await hub.acme("PUT model", set);
  expect(await ask(hub, "acme/ada")).toBeNull();
  expect(elsewhere.requests).toEqual([]);
});
