import { expect, test } from "vitest";
import { converseStreamOf } from "../../../ai/event-stream.test-helper.ts";
import type { AiOptions } from "../../options/ai-options.ts";
import { askOwn, errorOf } from "../../test-support/own.test-helper.ts";
import { documentedFields } from "../read/read.test-helper.ts";
import { startShellHub } from "../shell/shell.test-helper.ts";
import type { ShellHub } from "../shell/shell.test-helper.ts";
import { playModel } from "../core/model.test-helper.ts";
import { startCore } from "../core/core.test-helper.ts";

const key = "sk-a-secret-key-of-the-hub";
const whenLoaded = async () => {};

function startWith(ai: Partial<AiOptions> & Pick<AiOptions, "fetch">, more = {}) {
  return startShellHub({
    whenLoaded,
    ai: { provider: "openai", model: ["small", "large"], apiKey: key, ...ai },
    ...more,
  });
}

function ask(hub: ShellHub, asked: string, body?: object) {
  // The owner is the one who chooses.
  const token = asked.startsWith("PUT") ? hub.key : hub.token;
  return askOwn(hub, asked, { token, origin: undefined, ...(body && { body: JSON.stringify(body) }) });
}

test("RU8: a test sends one small request and answers with its time", async () => {
  const model = playModel(() => ({ text: "ready", tokens: 12 }));
  const hub = await startWith(model);
  const { body } = await ask(hub, "POST /api/model/test", {});
  expect(body).toEqual({ model: "small", milliseconds: expect.any(Number), tokens: 12, isOk: true, answer: "ready" });
  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]?.body).toMatchObject({ model: "small" });
  expect(errorOf(await ask(hub, "POST /api/model/test", { model: "dear" }))).toEqual([403, "option-refused"]);
  expect((await ask(hub, "POST /api/model/test", { model: "large" })).body).toMatchObject({
    isOk: true,
    model: "large",
  });
});

test("RU8: a model of Bedrock answers in its frames, and no part of the credentials is shown where it fails", async () => {
  const apiKey = "AKIDEXAMPLE:wJalrXUtnFEMI-EXAMPLEKEY:a-session-token";
  const asked: RequestInit[] = [];
  const frames = converseStreamOf([
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "ready" } }],
    ["messageStop", { stopReason: "end_turn" }],
    ["metadata", { usage: { inputTokens: 5, outputTokens: 1, totalTokens: 6 } }],
  ]);
  const headers = { "Content-Type": "application/vnd.amazon.eventstream" };
  const answers = [
    new Response(new Uint8Array(frames), { headers }),
    Response.json({ message: `The key AKIDEXAMPLE with a-session-token has expired` }, { status: 400 }),
  ];
  const fetch: typeof globalThis.fetch = async (_, init = {}) => (asked.push(init), answers.shift() as Response);
  const hub = await startWith({ provider: "bedrock", model: "amazon.nova-lite-v1:0", apiKey, fetch });
  expect((await ask(hub, "POST /api/model/test", {})).body).toMatchObject({ isOk: true, answer: "ready", tokens: 6 });
  expect(new Headers(asked[0]?.headers).get("authorization")).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
  const { body } = await ask(hub, "POST /api/model/test", {});
  expect(body?.["problem"]).toBe("The key … with … has expired (HTTP 400)");
  expect((await ask(hub, "GET /api/model")).body).toMatchObject({ provider: "bedrock" });
});

test.each([
  [
    () => Response.json({ error: { message: `Incorrect API key ${key}.` } }, { status: 401 }),
    "does not accept the hub's key",
  ],
  [
    () => Response.json({ error: { message: "The model `small` does not exist" } }, { status: 404 }),
    "does not exist (HTTP 404)",
  ],
  [() => new Response("<html>", { status: 500, statusText: "Broken" }), "HTTP 500"],
  [() => Response.json([{ error: { message: "no list" } }], { status: 400 }), "HTTP 400"],
])("RU8: how it failed is said in words, without the key: %#", async (answer, words) => {
  const hub = await startWith(playModel(answer));
  const { status, body } = await ask(hub, "POST /api/model/test", {});
  expect([status, body?.["isOk"], body?.["problem"]]).toEqual([200, false, expect.stringContaining(words)]);
  expect(JSON.stringify(body)).not.toContain(key);
});

test("RU8: a provider that cannot be reached is said so, and one at its quota is asked nothing", async () => {
  const hub = await startWith({ fetch: () => Promise.reject(new TypeError("fetch failed")) });
  expect((await ask(hub, "POST /api/model/test", {})).body).toMatchObject({
    isOk: false,
    problem: expect.stringContaining("cannot be reached"),
  });
  const model = playModel(() => ({ text: "x" }));
  const poor = await startWith({ ...model, quota: 0 });
  expect(errorOf(await ask(poor, "POST /api/model/test", {}))).toEqual([429, "quota-exceeded"]);
  expect(model.requests).toEqual([]);
});

test("RU9: the model that its owner chose is asked from then on, and the others stay allowed", async () => {
  const model = playModel(() => ({ text: "done" }));
  const saved: string[] = [];
  const settings = { saveModel: (name: string) => saved.push(name) > 0 };
  const hub = await startWith(model, { settings });
  expect((await ask(hub, "GET /api/model")).body).toMatchObject({
    provider: "openai",
    model: "small",
    models: ["small", "large"],
  });
  const chosen = await ask(hub, "PUT /api/model", { model: "next" });
  expect(chosen.body).toMatchObject({
    model: "next",
    models: ["next", "small", "large"],
    mayChange: true,
    isSaved: true,
  });
  const core = await startCore(hub.url, { token: hub.token });
  await core.run("send", "x", {});
  await core.run("send", "x", { model: "large" });
  expect(model.requests.map(({ body }) => body.model)).toEqual(["next", "large"]);
  expect(saved).toEqual(["next"]);
  for (const wrong of [{}, { model: "" }, { model: "a b" }, { model: 1 }])
    expect(errorOf(await ask(hub, "PUT /api/model", wrong))).toEqual([400, "request-malformed"]);
  const fields = Object.keys((await ask(hub, "GET /api/model")).body ?? {});
  expect(fields).toEqual(documentedFields("The model: `GET /api/model`"));
});

test("the provider's models are listed by its own address and key, those for other purposes left out, and for a while once", async () => {
  const asked: [string, unknown][] = [];
  const list: typeof fetch = async (url, init) => {
    asked.push([url as string, new Headers(init?.headers).get("authorization")]);
    const data = [
      { id: "old", created: 1 },
      { id: "text-embedding-3", created: 9 },
      { id: "new", created: 2 },
      { id: 7 },
    ];
    return Response.json({ data });
  };
  const hub = await startWith({ fetch: list });
  const all = await Promise.all([1, 2].map(() => ask(hub, "GET /api/models")));
  expect(all.map(({ body }) => body)).toEqual(
    Array(2).fill({ models: ["small", "large", "new", "old"], problem: null, local: [] }),
  );
  expect(asked).toEqual([["https://api.openai.com/v1/models", `Bearer ${key}`]]);
});

test.each([
  ["anthropic", "https://api.anthropic.com/v1/models?limit=1000"],
  ["google", "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000"],
  ["openai-responses", "https://api.openai.com/v1/models"],
] as const)("the list of %s is at %s", async (provider, address) => {
  let asked = "";
  const hub = await startWith({
    provider,
    fetch: async (url) => ((asked = url as string), Response.json({}, { status: 403 })),
  });
  const { body } = await ask(hub, "GET /api/models");
  expect(asked).toBe(address);
  expect(body).toMatchObject({ models: ["small", "large"], problem: expect.stringContaining("HTTP 403") });
});

test("a rehearsal has nothing to choose, and a hub without a model says so", async () => {
  const hub = await startShellHub({ whenLoaded });
  expect((await ask(hub, "GET /api/models")).body).toEqual({ models: ["rehearsal"], problem: null, local: [] });
  expect((await ask(hub, "POST /api/model/test", {})).body).toMatchObject({ isOk: true, model: "rehearsal" });
  expect(errorOf(await ask(hub, "PUT /api/model", { model: "x" }))).toEqual([403, "option-refused"]);
  const bare = await startShellHub({ whenLoaded, ai: "none" });
  expect((await ask(bare, "GET /api/model")).body).toMatchObject({ provider: null, model: null, models: [] });
  expect(errorOf(await ask(bare, "POST /api/model/test", {}))).toEqual([503, "model-missing"]);
});

test("TM74: what is left of a quota is said before it is used up, and when there are new tokens", async () => {
  const hub = await startWith({ fetch: playModel(() => ({ text: "ready", tokens: 60 })).fetch, quota: 100 });
  const newAt = expect.stringMatching(/T00:00:00.000Z$/) as string;
  const quota = { period: "day", tokens: 100, by: "hub" };
  expect((await ask(hub, "GET /api/quota")).body).toEqual({
    ...{ left: 100, newAt, quotas: [{ ...quota, used: 0, left: 100, newAt }] },
  });
  await ask(hub, "POST /api/model/test", {});
  expect((await ask(hub, "GET /api/quota")).body).toMatchObject({ left: 40, quotas: [{ used: 60, left: 40 }] });
  await ask(hub, "POST /api/model/test", {});
  expect((await ask(hub, "GET /api/quota")).body).toMatchObject({ left: 0, quotas: [{ used: 120, left: 0 }] });
  expect(errorOf(await ask(hub, "POST /api/model/test", {}))).toEqual([429, "quota-exceeded"]);
  const unlimited = await startWith({ fetch: playModel(() => ({})).fetch, quota: Infinity });
  expect((await ask(unlimited, "GET /api/quota")).body).toEqual({ left: null, newAt: null, quotas: [] });
});
