import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { agentHelloOf, openAgent } from "../../test-support/agent.test-helper.ts";
import { signAgentToken } from "../../guard/tokens.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOwn, errorOf, exchange, mintCode, signIn } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { askRaw } from "../../test-support/raw.test-helper.ts";
import { createFailingStore, secretPlace } from "../../store/test-support/failing-store.test-helper.ts";
import { createMemoryStore, newConversationId } from "../../store/index.ts";
import { makeFolder, openTestStore, say } from "../../store/test-support/store-contract.test-helper.ts";
import { openCore, startCore } from "../core/core.test-helper.ts";
import { sayAlways } from "../core/model.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
/** Settings that spare a test a long wait. */
const theClock: NonNullable<Parameters<typeof vi.useFakeTimers>[0]> = {
  toFake: ["Date", "setTimeout", "clearTimeout"],
};

afterEach(() => void vi.useRealTimers());

const ai = { provider: "openai", model: "m", fetch: sayAlways("Hi.").fetch } as const;

test("SI1: an agent is given a code, and the address of the hub's own pages with it, by the name that it calls the hub by", async () => {
  const hub = await startHub({ publicHosts: ["hub.example.com"] });
  const { status, body, headers } = await askOwn(hub, "POST /api/codes", { token: hub.token, origin: undefined });
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(body).toMatchObject({ url: `${hub.url}/#code=${String(body?.["code"])}` });
  expect(Number(body?.["expiresAt"]) - Date.now()).toBeGreaterThan(9 * 60_000);
  const addressFor = async (...lines: readonly string[]) => {
    const asked = ["POST /api/codes HTTP/1.1", ...lines, `Authorization: Bearer ${hub.token}`, "Content-Length: 0"];
    const answer = await askRaw(hub.port, `${asked.join("\r\n")}\r\n\r\n`);
    return (JSON.parse(answer.body) as { url: string }).url.replace(/#.*/, "");
  };
  expect(await addressFor("Host: hub.example.com")).toBe("http://hub.example.com/");
  expect(await addressFor("Host: hub.example.com", "X-Forwarded-Proto: https")).toBe("https://hub.example.com/");
  expect(await addressFor("Host: hub.example.com", "X-Forwarded-Proto: javascript")).toBe("http://hub.example.com/");
});

test("SI2: a code becomes a token once, and only for a page of the hub's own", async () => {
  const hub = await startHub();
  const code = await mintCode(hub, hub.token);
  const body = JSON.stringify({ code });
  for (const origin of [undefined, shop, "null", "https://evil.example", hub.url.replace(/\d+$/, "1")]) {
    const answer = await askOwn(hub, "POST /api/sign-in", { origin, body, token: hub.token });
    expect(errorOf(answer)).toEqual([403, "origin-not-allowed"]);
  }
  const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(hub, code)));
  const [good, ...more] = answers.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  const refused = answers.filter((each) => each !== good).map(errorOf);
  expect(refused).toEqual(Array.from({ length: 4 }, () => [401, "code-invalid"]));
  expect(good?.body).toEqual({
    token: expect.stringMatching(/^pagewire-app\.[\w-]{43}$/),
    expiresAt: expect.any(Number),
  });
  expect(good?.headers.get("cache-control")).toBe("no-store");
  const again = await exchange(hub, code);
  expect(errorOf(again)).toEqual([401, "code-invalid"]);
  expect(JSON.stringify(again.body)).toContain("npx pagewire open");
});

test("what is sent to sign in is a small JSON object with a code, and anything else is refused by name", async () => {
  const hub = await startHub();
  const send = async (body: string, headers = {}) => errorOf(await askOwn(hub, "POST /api/sign-in", { body, headers }));
  const code = JSON.stringify({ code: await mintCode(hub, hub.token) });
  for (const type of ["text/plain", "application/x-www-form-urlencoded", ""])
    expect(await send(code, { "Content-Type": type })).toEqual([400, "request-malformed"]);
  for (const body of ["", "{", "[]", "null", "{}", '{"code":7}', '{"code":null}', '{"code":{"a":{}}}'])
    expect(await send(body), body).toEqual([400, "request-malformed"]);
  expect(await send(JSON.stringify({ code: "x".repeat(16_384) }))).toEqual([413, "body-too-large"]);
  for (const body of ['{"code":""}', '{"code":"__proto__"}']) expect(await send(body)).toEqual([401, "code-invalid"]);
  expect(await send(code, { "Content-Type": "application/json; charset=utf-8" })).toEqual([200, undefined]);
});

test("a page that signed in is an agent of its user, by requests, by sockets, and to models", async () => {
  const hub = await startHub({ ai });
  const token = await signIn(hub, hub.token);
  const page = await connectPage(hub.url);
  expect((await callTool({ url: hub.url, token }, "work")).status).toBe(200);
  expect(page.calls).toHaveLength(1);
  const agent = await openAgent(hub.url);
  agent.send(agentHelloOf({ token }));
  await agent.next("welcome");
  const protocols = ["pagewire.core.1", `pagewire.bearer.${token}`];
  const core = await startCore(hub.url, { origin: hub.url, protocols });
  expect(await core.run("send", "Hello", {})).toBe("Hi.");
  const { body } = await askOwn(hub, "GET /api/conversations", { token });
  expect(body).toMatchObject({ conversations: [{ id: core.session, title: "Hello" }] });
});

test("a socket with an invalid token gets the error", async () => {
  const hub = await startHub({ ai });
  const protocols = ["pagewire.core.1", "pagewire.bearer.pagewire-app.nobody"];
  const core = await openCore(hub.url, { origin: hub.url, protocols });
  expect(await core.closed).toEqual(["token-expired", expect.stringContaining("Sign in again")]);
});

test("to a page of another origin such a token is worth nothing", async () => {
  const hub = await startHub({ ai });
  const token = await signIn(hub, hub.token);
  expect(errorOf(await askOwn(hub, "GET /api/app", { token, origin: shop }))).toEqual([403, "origin-not-allowed"]);
  const protocols = ["pagewire.core.1", `pagewire.bearer.${token}`];
  const core = await openCore(hub.url, { origin: "https://evil.example", protocols });
  expect((await core.closed)[0]).toBe("origin-not-allowed");
});

test("SI5: signing out ends the token and its sockets, and no others", async () => {
  const hub = await startHub({ ai });
  const [token, other] = [await signIn(hub, hub.token), await signIn(hub, hub.token)];
  const open = (bearer: string) =>
    startCore(hub.url, { origin: hub.url, protocols: ["pagewire.core.1", `pagewire.bearer.${bearer}`] });
  const [mine, others] = [await open(token), await open(other)];
  expect((await askOwn(hub, "POST /api/sign-out", { token })).status).toBe(204);
  expect((await mine.closed)[0]).toBe("token-expired");
  expect(errorOf(await askOwn(hub, "GET /api/app", { token }))).toEqual([401, "token-expired"]);
  expect(errorOf(await askOwn(hub, "POST /api/sign-out", { token }))).toEqual([401, "token-expired"]);
  expect(await others.run("send", "Hello", {})).toBe("Hi.");
  expect((await askOwn(hub, "GET /api/app", { token: other })).status).toBe(200);
});

test("SI5: a rotated agent token ends codes, tokens and open sockets", async () => {
  const hub = await startHub({ ai });
  const [token, code] = [await signIn(hub, hub.token), await mintCode(hub, hub.token)];
  const protocols = ["pagewire.core.1", `pagewire.bearer.${token}`];
  const core = await startCore(hub.url, { origin: hub.url, protocols });
  const agent = await openAgent(hub.url, { headerToken: token });
  agent.send(agentHelloOf());
  await agent.next("welcome");
  hub.rotate("another-token-of-this-test");
  expect((await core.closed)[0]).toBe("token-expired");
  expect(await agent.closeName()).toBe("token-expired");
  expect(errorOf(await askOwn(hub, "GET /api/app", { token }))).toEqual([401, "token-expired"]);
  expect(errorOf(await exchange(hub, code))).toEqual([401, "code-invalid"]);
  expect((await askOwn(hub, "GET /api/app", { token: await signIn(hub, hub.token) })).status).toBe(200);
});

test("SI5: an open socket ends at the moment that the sign-in does", async () => {
  vi.useFakeTimers(theClock);
  const hub = await startHub({ limits: { appSessionTime: 60_000 } });
  const agent = await openAgent(hub.url, { headerToken: await signIn(hub, hub.token) });
  vi.advanceTimersByTime(60_000);
  expect(await agent.closeName()).toBe("token-expired");
});

test("a browser stays signed in when the hub is restarted, and no file or log holds its token or a code", async () => {
  const folder = makeFolder();
  const options = { store: () => openTestStore(join(folder, "hub.db")) };
  const before = await startHub(options);
  const code = await mintCode(before, before.token);
  const token = await signIn(before, before.token);
  await exchange(before, "a-guess");
  await before.close();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const written = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join();
  expect(written).toContain('"principal":"local"');
  for (const text of [written, JSON.stringify(before.records)]) {
    for (const each of [code, token, token.slice(-43), before.token, "a-guess"]) expect(text).not.toContain(each);
  }
  const after = await startHub(options);
  expect((await askOwn(after, "GET /api/app", { token })).status).toBe(200);
  expect(errorOf(await exchange(after, code))).toEqual([401, "code-invalid"]);
});

test("who signed in with a code cannot make another, and the agents' token cannot be signed out", async () => {
  const hub = await startHub();
  const token = await signIn(hub, hub.token);
  expect(errorOf(await askOwn(hub, "POST /api/codes", { token }))).toEqual([401, "token-invalid"]);
  const refused = await askOwn(hub, "POST /api/sign-out", { token: hub.token });
  expect(errorOf(refused)).toEqual([401, "token-invalid"]);
  expect(JSON.stringify(refused.body)).toContain("npx pagewire token rotate");
  expect((await askOwn(hub, "GET /api/app", { token: hub.token })).status).toBe(200);
});

test("in jwt mode a user's agent token signs in that user, until it ends", async () => {
  const store = createMemoryStore();
  const hub = await startHub({ jwt: { secret }, store: () => store });
  const tokenOf = (subject: string, expiresIn = 3600) => signAgentToken({ secret, subject, expiresIn });
  const ann = await signIn(hub, await tokenOf("ann"));
  const { body } = await askOwn(hub, "GET /api/app", { token: ann });
  expect(body).toMatchObject({ mode: "jwt", principal: "ann", model: null, demo: null });
  const { body: brief } = await exchange(hub, await mintCode(hub, await tokenOf("bob", 60)));
  expect(Number(brief?.["expiresAt"]) - Date.now()).toBeLessThanOrEqual(60_000);
  vi.useFakeTimers(theClock);
  const agent = await openAgent(hub.url, { headerToken: await signIn(hub, await tokenOf("bob", 60)) });
  vi.advanceTimersByTime(60_000);
  expect(await agent.closeName()).toBe("token-expired");
  // Neither a hub with another secret nor one in local mode accepts this one's cookie.
  for (const options of [{ jwt: { secret: `${secret}!` } }, {}]) {
    const other = await startHub({ ...options, store: () => ({ ...store, close: async () => {} }) });
    expect(errorOf(await askOwn(other, "GET /api/app", { token: ann }))).toEqual([401, "token-expired"]);
  }
});

test("its pages get the hub's facts, their user, and the origins that may open them", async () => {
  const hub = await startHub({ ai, demo: { port: 0 }, publicHosts: ["hub.example.com"] });
  const allowed = [
    "https://a.example:8443",
    "http://localhost:5173",
    "chrome-extension://abc",
    "https://b.example; x",
    "https://b;x",
  ];
  for (const origin of allowed) hub.allow(origin);
  const { body } = await askOwn(hub, "GET /api/app", { token: await signIn(hub, hub.token) });
  const demos = ["127.0.0.1", "localhost", "[::1]"].map((name) => `http://${name}:${new URL(hub.demo ?? "").port}`);
  expect(body).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    mode: "local",
    principal: "local",
    model: { provider: "openai", models: ["m"], isRehearsal: false },
    parentOrigins: [shop, "https://a.example:8443", "http://localhost:5173", ...demos],
    demo: hub.demo,
    terminals: false,
    terminalFetch: [],
  });
  // The demo only accepts this machine's names, so it is unreachable from elsewhere.
  const lines = ["GET /api/app HTTP/1.1", "Host: hub.example.com", `Authorization: Bearer ${hub.token}`];
  const remote = await askRaw(hub.port, `${lines.join("\r\n")}\r\n\r\n`);
  expect(JSON.parse(remote.body)).toMatchObject({ demo: null });
  const plain = await startHub();
  const about = await askOwn(plain, "GET /api/app", { token: plain.token });
  expect(about.body).toMatchObject({ model: { provider: "rehearsal", isRehearsal: true }, demo: null });
  const custom = await startHub({ ai: { provider: { name: "x" } as never, model: "y" } });
  expect((await askOwn(custom, "GET /api/app", { token: custom.token })).body).toMatchObject({
    model: { provider: "custom", models: ["y"] },
  });
});

test("conversations are listed with their titles, the latest first, and can be removed; those of pages are not among them", async () => {
  const store = createMemoryStore();
  const hub = await startHub({ store: () => store });
  const token = await signIn(hub, hub.token);
  const [first, second, pages, others] = [1, 2, 3, 4].map(newConversationId) as [string, string, string, string];
  await store.write({ principal: "local", id: first }, { keep: 0, messages: say("One?") });
  await store.write({ principal: "local", id: second }, { keep: 0, messages: say("Two?") });
  await store.write({ principal: "local", id: pages }, { keep: 0, messages: say("A page's?"), origin: shop });
  await store.write({ principal: "bob", id: others }, { keep: 0, messages: say("Bob's?") });
  const listed = async () => (await askOwn(hub, "GET /api/conversations", { token })).body;
  expect(await listed()).toEqual({
    conversations: [
      { id: second, title: "Two?", changedAt: expect.any(Number) },
      { id: first, title: "One?", changedAt: expect.any(Number) },
    ],
  });
  expect((await askOwn(hub, `DELETE /api/conversations/${second}`, { token })).status).toBe(204);
  expect(await listed()).toMatchObject({ conversations: [{ id: first }] });
  for (const id of [second, pages, others, newConversationId(), "", "x", "..", "%2e%2e%2fx", `${first}%00`])
    expect(errorOf(await askOwn(hub, `DELETE /api/conversations/${id}`, { token })), id).toEqual(notFound(id));
  expect((await store.list("bob")).length + (await store.list("local")).length).toBe(3);
});

/** A path that fetch would normalize has no route. */
function notFound(id: string): readonly unknown[] {
  if (id === "..") return [404, "route-not-found"];
  return [404, "conversation-not-found"];
}

test("what a user decided for good about tools is listed, and can be taken back by that user", async () => {
  const store = createMemoryStore();
  const consent = { tool: "save", origin: shop, approved: true, at: 1 };
  await store.setRecord("consents", "a/b c", { ...consent, principal: "local" });
  await store.setRecord("consents", "bobs", { ...consent, principal: "bob" });
  const hub = await startHub({ store: () => store });
  const token = await signIn(hub, hub.token);
  const listed = async () => (await askOwn(hub, "GET /api/consents", { token })).body;
  expect(await listed()).toEqual({ consents: [{ key: "a/b c", tool: "save", origin: shop, approved: true }] });
  for (const key of ["bobs", "none", "", "a/b c"])
    expect(errorOf(await askOwn(hub, `DELETE /api/consents/${key}`, { token })), key).toEqual([404, "route-not-found"]);
  expect(errorOf(await askOwn(hub, "DELETE /api/consents/%ff", { token }))).toEqual([400, "request-malformed"]);
  expect((await askOwn(hub, `DELETE /api/consents/${encodeURIComponent("a/b c")}`, { token })).status).toBe(204);
  expect(await listed()).toEqual({ consents: [] });
  expect([...(await store.records("consents", "bob")).keys()]).toEqual(["bobs"]);
});

test("without a token, or from another origin, none of it is readable", async () => {
  const hub = await startHub();
  const asked = [
    "GET /api/app",
    "GET /api/conversations",
    "GET /api/consents",
    "POST /api/sign-out",
    "POST /api/codes",
  ];
  for (const each of [...asked, "DELETE /api/conversations/x", "DELETE /api/consents/x"]) {
    expect(errorOf(await askOwn(hub, each)), each).toEqual([401, "token-required"]);
    expect(errorOf(await askOwn(hub, each, { token: "x" })), each).toEqual([401, "token-invalid"]);
    expect(errorOf(await askOwn(hub, each, { token: "pagewire-app.x" })), each).toEqual([401, "token-expired"]);
    expect(errorOf(await askOwn(hub, each, { token: hub.token, origin: shop })), each).toEqual([
      403,
      "origin-not-allowed",
    ]);
  }
});

test("a store that fails is a named error at once, without a word of where it is", async () => {
  const store = Object.assign(createFailingStore(), { close: async () => {} });
  const before = await startHub({ store: () => store });
  const token = await signIn(before, before.token);
  await before.close();
  const hub = await startHub({ store: () => store });
  [store.failure, store.failsToRead] = ["damaged", true];
  const damaged = await askOwn(hub, "GET /api/app", { token });
  expect(errorOf(damaged)).toEqual([500, "store-damaged"]);
  store.failure = "full";
  const refused = await exchange(hub, await mintCode(hub, hub.token));
  expect(errorOf(refused)).toEqual([503, "not-saved"]);
  expect(refused.headers.get("retry-after")).toBe("5");
  for (const { body } of [damaged, refused]) expect(JSON.stringify(body)).not.toContain(secretPlace);
  expect(JSON.stringify(hub.records)).toContain(`${secretPlace}: full`);
  store.failure = undefined;
  expect((await askOwn(hub, "GET /api/app", { token })).status).toBe(200);
});
