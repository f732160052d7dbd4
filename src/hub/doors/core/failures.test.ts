import { expect, test } from "vitest";
import { startWith } from "./core.test-helper.ts";
import { playModel, sayAlways } from "./model.test-helper.ts";

test("a provider's error never reveals the server's key or address", async () => {
  const failures = [
    new Response('{"error":{"message":"Incorrect API key provided: sk-server."}}', { status: 401 }),
    new Response('{"error":{"message":"The key sk-server has no access."}}', { status: 400, statusText: "Bad" }),
    new Response("Slow down, sk-server", { status: 429, headers: { "Retry-After": "7" } }),
  ];
  const model = playModel((_, round) => {
    const failure = failures[round];
    if (failure) return failure;
    throw new TypeError("connect ECONNREFUSED 10.0.0.7:443 llm.internal");
  });
  const { client, hub } = await startWith(model, { baseUrl: "https://llm.internal" });
  const errors = [];
  for (let round = 0; round < 4; round++) {
    expect(await client.run("send", "Hello", {})).toBeNull();
    errors.push(client.values["error"]);
  }
  expect(errors).toMatchObject([
    { status: 401, body: expect.stringContaining("does not accept the hub's key") },
    { status: 400, body: expect.stringContaining("The key … has no access.") },
    { status: 429, retryAfter: 7 },
    { status: 502, body: expect.stringContaining("cannot be reached from the hub") },
  ]);
  expect(JSON.stringify(client.came)).not.toMatch(/sk-server|llm\.internal|10\.0\.0\.7|\bat .*\.ts:/);
  expect(hub.records.filter(({ event }) => event === "model-failed").map(({ status }) => status)).toEqual([
    401, 400, 429,
  ]);
  expect(JSON.stringify(hub.records)).not.toContain("sk-server");
});

test("a provider's error, or a failed request, never reveals the server's other secrets", async () => {
  const event = 'data: {"error":{"message":"no room on llm.internal for gw-secret-1"}}\n\n';
  const said = [
    new Response("Bad gateway key gw-secret-1 at llm.internal", { status: 400 }),
    new Response("<html>llm.internal</html>", { headers: { "Content-Type": "text/html" } }),
    new Response("{", { headers: { "Content-Type": "application/json" } }),
    new Response(event, { headers: { "Content-Type": "text/event-stream" } }),
  ];
  const model = playModel((_, round) => said[round] ?? { text: "Hi." });
  const headers = { "X-Gateway": "gw-secret-1", "X-Short": "a" };
  const { client } = await startWith(model, { baseUrl: "https://llm.internal/v2", headers });
  const errors = [];
  for (let round = 0; round < 4; round++) {
    expect(await client.run("send", "Hello", {})).toBeNull();
    errors.push(client.values["error"]);
  }
  const inStream = { message: expect.stringContaining("no room on … for …") as string };
  const noAnswer = {
    name: "Error",
    message: expect.stringContaining("https://…/v2/chat/completions sent no JSON") as string,
  };
  expect(errors).toMatchObject([{ status: 400, body: "Bad gateway key … at …" }, noAnswer, noAnswer, inStream]);
  expect(JSON.stringify(client.came)).not.toMatch(/gw-secret|llm\.internal/);
  expect(await client.run("send", "Hello", {})).toBe("Hi.");
});

test.each(["system", "tools", "quota", "getApiKey"] as const)(
  "a function `%s` of the owner's that fails is told of in the log, and to the page only that it did",
  async (name) => {
    const model = sayAlways("Hi.");
    const message = "connect ECONNREFUSED 10.0.0.7:5432";
    const { client, hub } = await startWith(model, { [name]: failing(message) });
    await client.run("send", "Hello", {}).catch(() => {});
    const frames = JSON.stringify(client.came);
    expect(frames).toContain("failed. Its log says why.");
    expect(frames).not.toContain("10.0.0.7");
    expect(hub.records).toContainEqual(expect.objectContaining({ event: "ai-option-failed", option: name, message }));
    expect(model.requests).toEqual([]);
  },
);

test("the owner reads of a failed `getApiKey` in the log alone, where models are listed and tried, too", async () => {
  const asyncFailure = () => Promise.reject(new Error("no file /home/ann/adc.json"));
  const { client, hub } = await startWith(sayAlways("Hi."), { getApiKey: asyncFailure });
  expect(await client.run("models")).toHaveLength(2);
  const told = 'The hub\'s own function for "getApiKey" failed. Its log says why.';
  const headers = { Authorization: `Bearer ${hub.token}` };
  const listed = await fetch(`${hub.url}/api/models`, { headers });
  expect(await listed.json()).toMatchObject({ problem: told });
  expect(await client.run("send", "Hello", {})).toBeNull();
  expect(client.values["error"]).toMatchObject({ message: told });
  expect(JSON.stringify(client.came)).not.toContain("/home/ann");
  const failures = hub.records.filter(({ event }) => event === "ai-option-failed");
  expect(failures.map(({ option, message }) => [option, message])).toEqual(
    Array(2).fill(["getApiKey", "no file /home/ann/adc.json"]),
  );
});

function failing(message: string) {
  return (): never => {
    throw new Error(message);
  };
}
