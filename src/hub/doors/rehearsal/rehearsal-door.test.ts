import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import OpenAI from "openai";
import fc from "fast-check";
import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { defaultLimits } from "../../../wire/index.ts";
import { createRehearsalFetch } from "./rehearsal-fetch.ts";
import {
  aboutIt,
  expectedArguments,
  now,
  sentence,
  startModel,
  startRehearsal,
  token,
  weather,
} from "./rehearsal.test-helper.ts";
import type { TestRehearsal } from "./rehearsal.test-helper.ts";

const messages = [{ role: "user" as const, content: "hello" }];
const model = "any";
const chat = "/openai/v1/chat/completions";

function post({ url }: TestRehearsal, path: string, body: string) {
  const headers = { Authorization: `Bearer ${token}`, "anthropic-version": "2023-06-01" };
  return fetch(`${url}${path}`, { method: "POST", headers, body });
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

test("a stream stops when its client goes, and leaves nothing open", async () => {
  const rehearsal = await startRehearsal({ delay: 5 });
  const client = new OpenAI({ apiKey: token, baseURL: `${rehearsal.url}/openai/v1`, maxRetries: 0 });
  const stream = await client.chat.completions.create({ model, messages, stream: true });
  let count = 0;
  for await (const chunk of stream) {
    expect(chunk.object).toBe("chat.completion.chunk");
    if (++count === 3) stream.controller.abort();
  }
  expect(count).toBe(3);
  await until(() => rehearsal.door.open === 0);
  const anthropic = new Anthropic({ apiKey: token, baseURL: `${rehearsal.url}/anthropic`, maxRetries: 0 });
  const said = anthropic.messages.stream({ model, max_tokens: 100, messages });
  said.once("text", () => said.abort());
  await expect(said.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
  await until(() => rehearsal.door.open === 0);
});

test("a client that goes without having read leaves nothing open", async () => {
  const rehearsal = await startRehearsal({ delay: 5 });
  const sent = request(`${rehearsal.url}${chat}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
  });
  sent.end(JSON.stringify({ model, messages, stream: true }));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(rehearsal.door.open).toBe(1);
  response.destroy();
  await until(() => rehearsal.door.open === 0);
});

test("a client that stays and does not read is hung up on", async () => {
  const rehearsal = await startRehearsal({ longest: 30_000, limits: { ...defaultLimits, requestTime: 200 } });
  const texts = { type: "array", minItems: 16, items: { type: "string", minLength: 65_536 } };
  const schema = { type: "object", properties: { texts }, required: ["texts"] };
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  const headers = { Authorization: `Bearer ${token}` };
  const sent = request(`${rehearsal.url}${chat}`, { method: "POST", headers });
  sent.end(JSON.stringify({ model, messages, response_format, stream: true }));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await until(() => rehearsal.door.open === 0);
  await expect(response.toArray()).rejects.toThrow("aborted");
});

test("the pieces of a stream come one after the other, a moment apart", async () => {
  const rehearsal = await startRehearsal({ delay: 2 });
  const response = await post(rehearsal, chat, JSON.stringify({ model, messages, stream: true }));
  let reads = 0;
  for await (const chunk of response.body ?? []) reads += chunk.length > 0 ? 1 : 0;
  expect(reads).toBeGreaterThan(5);
});

test("inside the process it answers at any base URL and opens no socket", async () => {
  const fetchRehearsal = createRehearsalFetch({ rehearsal: startModel(), delay: 0, now: () => now });
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "https://nowhere.invalid/some/v1",
    fetch: fetchRehearsal,
    maxRetries: 0,
  });
  const { name, description, schema } = weather;
  const tools = [{ type: "function" as const, function: { name, description, parameters: schema } }];
  const asked = [{ role: "user" as const, content: sentence }];
  const answer = await client.chat.completions.stream({ model, messages: asked, tools }).finalChatCompletion();
  const [call] = answer.choices[0]?.message.tool_calls ?? [];
  expect(JSON.parse(call?.type === "function" ? call.function.arguments : "")).toEqual(expectedArguments);
  await expect(client.chat.completions.create({ model, messages: [] })).rejects.toMatchObject({ status: 400 });
  const anthropic = new Anthropic({
    apiKey: "none",
    baseURL: "https://nowhere.invalid",
    fetch: fetchRehearsal,
    maxRetries: 0,
  });
  const said = await anthropic.messages.create({ model, max_tokens: 100, messages });
  expect(said.content[0]).toMatchObject({ text: expect.stringMatching(aboutIt) as unknown });
  expect((await fetchRehearsal("https://nowhere.invalid/else")).status).toBe(404);
});

test("inside the process it can be stopped before and while it streams", async () => {
  const fetchRehearsal = createRehearsalFetch({ rehearsal: startModel(), delay: 1, now: () => now });
  const stop = new AbortController();
  const body = JSON.stringify({ model, messages, stream: true });
  const response = await fetchRehearsal("https://nowhere.invalid/v1/chat/completions", {
    method: "POST",
    body,
    signal: stop.signal,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  stop.abort(new Error("enough"));
  await expect(reader?.read().then(() => reader.read())).rejects.toThrow("enough");
  const late = fetchRehearsal("https://nowhere.invalid/v1/chat/completions", {
    method: "POST",
    body,
    signal: stop.signal,
  });
  await expect(late).rejects.toThrow("enough");
});

test("a page of an origin that was let in may read the answer, and nobody else's page", async () => {
  const rehearsal = await startRehearsal();
  const body = JSON.stringify({ model, messages });
  const headers = { Authorization: `Bearer ${token}`, Origin: "https://shop.example" };
  const own = await fetch(`${rehearsal.url}${chat}`, { method: "POST", headers, body });
  expect(own.headers.get("access-control-allow-origin")).toBe("https://shop.example");
  expect((await post(rehearsal, chat, body)).headers.get("access-control-allow-origin")).toBeNull();
});

test("when a credential no longer holds, what is being answered to it is cut off", async () => {
  let isGood = true;
  const credentials = { isStillGood: () => isGood };
  const rehearsal = await startRehearsal({ delay: 5, credentials });
  const response = await post(rehearsal, chat, JSON.stringify({ model, messages, stream: true }));
  rehearsal.door.review();
  expect(rehearsal.door.open).toBe(1);
  isGood = false;
  rehearsal.door.review();
  await expect(response.text()).rejects.toThrow();
  await until(() => rehearsal.door.open === 0);
});

test("a hub that stops says so in the vendor's own words", async () => {
  const refusal = () =>
    ({ outcome: "rejected", ran: "no", code: "going-away", message: "The hub is stopping." }) as const;
  const rehearsal = await startRehearsal({ refusal });
  const openai = await post(rehearsal, chat, "{}");
  expect([openai.status, await openai.json()]).toMatchObject([503, { error: { type: "server_error" } }]);
  const anthropic = await post(rehearsal, "/anthropic/v1/messages", "{}");
  expect([anthropic.status, await anthropic.json()]).toMatchObject([529, { error: { type: "overloaded_error" } }]);
  const google = await post(rehearsal, "/google/v1beta/models/x:generateContent", "{}");
  expect([google.status, await google.json()]).toMatchObject([503, { error: { status: "UNAVAILABLE" } }]);
});

const everDeeper = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `a${at}`,
    { anyOf: Array.from({ length: 6 }, () => ({ $ref: `#/$defs/a${at + 1}` })) },
  ]),
);

test.each([
  ["a pattern", { properties: { code: { type: "string", pattern: "^(a+)+$" } } }],
  ["references", { $defs: everDeeper, properties: { code: { $ref: "#/$defs/a0" } } }],
])("%s that would take for ever is broken off and refused", async (_, schema) => {
  const rehearsal = await startRehearsal();
  const tools = [{ type: "function", function: { name: "find_code", parameters: { type: "object", ...schema } } }];
  const content = `find code ${"a".repeat(48)}b`;
  const response = await post(rehearsal, chat, JSON.stringify({ model, tools, messages: [{ role: "user", content }] }));
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(/needs more than 10\d ms/);
});

test("a caller whose requests held the hub too long is refused in the vendor's own words, and says when to come back", async () => {
  const rehearsal = await startRehearsal({ limits: { ...defaultLimits, rehearsalTime: 0 } });
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "x" }] });
  const openai = await post(rehearsal, chat, body);
  expect([openai.status, openai.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await openai.json()).toMatchObject({ error: { type: "requests", code: "rate_limit_exceeded" } });
  const anthropic = await post(rehearsal, "/anthropic/v1/messages", body);
  expect([anthropic.status, await anthropic.json()]).toMatchObject([429, { error: { type: "rate_limit_error" } }]);
  const google = await post(rehearsal, "/google/v1beta/models/x:generateContent", body);
  expect([google.status, await google.json()]).toMatchObject([429, { error: { status: "RESOURCE_EXHAUSTED" } }]);
});

test("a request that uses a caller's share up is broken off for that, and so are those beside it", async () => {
  const rehearsal = await startRehearsal({ limits: { ...defaultLimits, rehearsalTime: 50 }, longest: 20 });
  const schema = { type: "object", properties: { code: { type: "string", pattern: "^(a+)+$" } } };
  const tools = [{ type: "function", function: { name: "find_code", parameters: schema } }];
  const body = JSON.stringify({ model, tools, messages: [{ role: "user", content: `find code ${"a".repeat(48)}b` }] });
  const responses = await Promise.all(Array.from({ length: 8 }, () => post(rehearsal, chat, body)));
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(429));
});

test("a request that would take for ever does not keep others from being answered", async () => {
  const rehearsal = await startRehearsal({ limits: { ...defaultLimits, rehearsalTime: 600_000 } });
  const schema = { type: "object", properties: { code: { type: "string", pattern: "^(a+)+$" } } };
  const tools = [{ type: "function", function: { name: "find_code", parameters: schema } }];
  const asked = [{ role: "user", content: `find code ${"a".repeat(48)}b` }];
  const hostile = Array.from({ length: 3 }, () =>
    post(rehearsal, chat, JSON.stringify({ model, tools, messages: asked })),
  );
  const honest = post(rehearsal, chat, JSON.stringify({ model, messages })).then(({ status }) => status);
  const first = await Promise.race([honest, ...hostile.map(async (one) => (await one).status)]);
  expect([first, await honest]).toEqual([200, 200]);
  for (const response of await Promise.all(hostile)) expect(response.status).toBe(400);
});

test("a conversation of thousands of calls is counted in time", async () => {
  const rehearsal = await startRehearsal();
  const pairs = Array.from({ length: 8000 }, (_, at) => [
    { role: "assistant", content: [{ type: "tool_use", id: `c${at}`, name: "a", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${at}`, content: "1" }] },
  ]);
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "x" }, ...pairs.flat()] });
  expect((await post(rehearsal, "/anthropic/v1/messages/count_tokens", body)).status).toBe(200);
});

test("a schema that is a branch of itself is refused or answered, and nothing fails inside", async () => {
  const failures: unknown[] = [];
  const rehearsal = await startRehearsal({ onError: (error) => failures.push(error) });
  const self = { anyOf: [{ $ref: "#/$defs/self" }, { type: "string" }] };
  const schema = { type: "object", $defs: { self }, properties: { x: { $ref: "#/$defs/self" } }, required: ["x"] };
  const asked = { response_format: { type: "json_schema", json_schema: { name: "x", schema } } };
  const tools = [{ type: "function", function: { name: "do_it", parameters: schema } }];
  for (const more of [asked, { tools }, { tools, tool_choice: "required" }]) {
    const response = await post(rehearsal, chat, JSON.stringify({ model, messages, ...more }));
    expect([200, 400]).toContain(response.status);
  }
  expect(failures).toEqual([]);
});

test("a schema that nothing satisfies is refused", async () => {
  const rehearsal = await startRehearsal();
  const schema = { type: "object", properties: { a: { type: "string", minLength: 3, maxLength: 2 } }, required: ["a"] };
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  const response = await post(rehearsal, chat, JSON.stringify({ model, messages, response_format }));
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("found no object that satisfies the schema");
});

test("what is no JSON object, too large, too deep or nowhere is refused in the vendor's own words", async () => {
  const rehearsal = await startRehearsal();
  for (const body of ["", "no", "[]", "null", `{"a":${"[".repeat(70)}${"]".repeat(70)}}`]) {
    const response = await post(rehearsal, chat, body);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }]);
  }
  const wrongMethod = await fetch(`${rehearsal.url}${chat}`, { headers: { Authorization: `Bearer ${token}` } });
  expect([wrongMethod.status, await wrongMethod.json()]).toMatchObject([
    405,
    { error: { type: "invalid_request_error" } },
  ]);
  for (const path of ["/anthropic/v1/complete", "/anthropic/v1/chat/completions"]) {
    const response = await post(rehearsal, path, "{}");
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { type: "error", error: { type: "not_found_error" } },
    ]);
  }
  const unknown = await post(rehearsal, "/openai/v1/embeddings", "{}");
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
  const noVersion = await fetch(`${rehearsal.url}/anthropic/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": token },
    body: JSON.stringify({ model, max_tokens: 1, messages }),
  });
  expect(await noVersion.json()).toMatchObject({ error: { message: "anthropic-version: header is required" } });
});

test("whatever a body holds, it is answered or refused as the vendor would, and nothing fails inside", async () => {
  const failures: unknown[] = [];
  const fetchRehearsal = createRehearsalFetch({
    rehearsal: startModel({ onError: (error) => failures.push(error) }),
    delay: 0,
    now: () => now,
  });
  const paths = [
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/v1/messages/count_tokens",
    "/v1beta/models/x:generateContent",
    "/v1beta/models/x:countTokens",
  ];
  const send = async (path: string, body: unknown) => {
    const headers = { "anthropic-version": "2023-06-01" };
    return fetchRehearsal(`https://hub.test${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const json = fc.jsonValue({ maxDepth: 3 });
  const message = fc.record(
    {
      role: fc.constantFrom("user", "assistant", "tool", "model"),
      content: json,
      parts: fc.array(fc.dictionary(fc.constantFrom("text", "functionCall", "inlineData"), json)),
    },
    { requiredKeys: [] },
  );
  const some = fc.oneof(json, fc.array(fc.oneof(message, json), { maxLength: 3 }), fc.constantFrom("any", 5, true));
  const fields = fc.constantFrom(
    "model",
    "messages",
    "input",
    "contents",
    "tools",
    "tool_choice",
    "max_tokens",
    "stream",
    "system",
    "generationConfig",
    "response_format",
    "text",
  );
  const bodies = fc.dictionary(fields, some, { minKeys: 1 }).map((body) => ({ model, ...body }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), bodies, async (path, body) => {
      const response = await send(path, body);
      await response.text();
      expect([200, 400]).toContain(response.status);
    }),
    { numRuns: 600 },
  );
  expect(failures).toEqual([]);
});
