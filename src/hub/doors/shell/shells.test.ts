import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { agentHelloOf, openAgent } from "../../test-support/agent.test-helper.ts";
import { createHub } from "../../create-hub.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOwn, errorOf, exchange, mintCode, signIn } from "../../test-support/own.test-helper.ts";
import { byHand, connectPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { createMemoryStore } from "../../store/index.ts";
import { askForCode, mintShellCode, openView, signInView, startShellHub } from "./shell.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const jwt = { secret };
const evil = "https://evil.example";

afterEach(() => void vi.useRealTimers());

const off = ["terminal-unavailable", "Terminals are off here. Start the hub with: npx pagewire hub --terminal"];

test("without `shell` a hub says wherever it is asked that terminals are off, and what to do", async () => {
  for (const hub of [await startHub(), await startHub({ jwt })]) {
    expect(await (await openView(hub, { token: "x" })).closed).toEqual(off);
    const answer = await askOwn(hub, "POST /api/shell-codes", { token: hub.token, origin: undefined });
    expect(errorOf(answer)).toEqual([503, "terminal-unavailable"]);
    expect(JSON.stringify(answer.body)).toContain("npx pagewire hub --terminal");
    const page = await fetch(`${hub.url}/terminal`);
    expect([page.status, page.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain("npx pagewire hub --terminal");
  }
});

test("a hub reports whether it has terminals", async () => {
  const [without, hub] = [await startHub(), await startShellHub()];
  for (const [one, terminals] of [
    [without, false],
    [hub, true],
  ] as const) {
    expect((await askOwn(one, "GET /api/app", { token: one.token })).body).toMatchObject({ terminals });
  }
});

test("without jwt mode a hub with terminals needs a key, and is for this machine only", async () => {
  const mount = () => ({
    serve: () => {},
    list: async () => [],
    end: async () => {},
    review: () => {},
    close: async () => {},
  });
  const shell = { mount, key: () => "k" };
  const agentToken = () => "t";
  for (const [options, code] of [
    [{ agentToken, shell: { mount } }, "options-invalid"],
    [{ agentToken, shell, host: "0.0.0.0" }, "address-refused"],
    [{ agentToken, shell, publicHosts: ["hub.example.com"] }, "address-refused"],
  ] as const) {
    await expect(createHub({ port: 0, ...options })).rejects.toMatchObject({ code });
  }
  const publicHosts = ["hub.example.com"];
  const everywhere = await startHub({ jwt, shell: { mount }, host: "0.0.0.0", insecure: true, publicHosts });
  expect(everywhere.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test("SH3: a program with the shell key is given a code, and the address of the hub's page with it", async () => {
  const hub = await startShellHub();
  const { status, body, headers } = await askForCode(hub);
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(body).toEqual({
    code: expect.stringMatching(/^[\w-]{43}$/),
    url: `${hub.url}/terminal#code=${String(body?.["code"])}`,
    expiresAt: expect.any(Number),
  });
  const { pass } = await openView(hub, { code: String(body?.["code"]) });
  expect(pass).toMatchObject({ admitted: { principal: "local" }, token: expect.stringMatching(/^pagewire-shell\./) });
  expect((await openView(hub, { token: pass?.token })).pass).toMatchObject({ admitted: { principal: "local" } });
});

test("SH3: no other credential makes codes for terminals, and no page does", async () => {
  const hub = await startShellHub();
  const app = await signIn(hub, hub.token);
  const shell = await signInView(hub);
  const terminal = (await hub.host.terminals.create("local", { name: "t" })).token;
  for (const token of [hub.token, app, shell, terminal, `${hub.key}x`, hub.key.slice(0, -1), "pagewire-shell.x"])
    expect(errorOf(await askForCode(hub, token))[0], token).toBe(401);
  expect(errorOf(await askForCode(hub, ""))).toEqual([401, "token-required"]);
  for (const origin of [hub.url, shop, evil, "null"]) {
    const answer = await askOwn(hub, "POST /api/shell-codes", { token: hub.key, origin });
    expect(errorOf(answer)).toEqual([403, "origin-not-allowed"]);
  }
  expect(errorOf(await askOwn(hub, "POST /api/codes", { token: hub.key, origin: undefined }))[0]).toBe(401);
});

test("SH3: no other credential opens a terminal, and neither does the key in a page", async () => {
  const hub = await startShellHub();
  const app = await signIn(hub, hub.token);
  for (const token of [hub.token, app, hub.key, "pagewire-shell.x", ""]) {
    const { pass, closed } = await openView(hub, { token });
    expect(pass).toBeUndefined();
    expect((await closed)[0]).toMatch(/^token-(invalid|expired)$/);
  }
  expect((await (await openView(hub, {})).closed)[0]).toBe("token-required");
  const code = await mintCode(hub, hub.token);
  expect((await (await openView(hub, { code })).closed)[0]).toBe("token-invalid");
});

test("a token for terminals is no agent's, and a code for them signs in nowhere else", async () => {
  const hub = await startShellHub();
  const token = await signInView(hub);
  for (const asked of ["GET /api/app", "POST /api/codes", "POST /api/sign-out", "POST /api/terminals"])
    expect(errorOf(await askOwn(hub, asked, { token }))[0], asked).toBe(401);
  const agent = await openAgent(hub.url);
  agent.send(agentHelloOf({ token }));
  expect(await agent.verdict()).toBe("token-invalid");
  expect(errorOf(await exchange(hub, await mintShellCode(hub)))).toEqual([401, "code-invalid"]);
});

test("a code for another origin is only a code, is good in its pages alone, and needs it to be allowed", async () => {
  const hub = await startShellHub();
  const { body } = await askForCode(hub, hub.key, shop);
  expect(body).toEqual({ code: expect.any(String), origin: shop, expiresAt: expect.any(Number) });
  const code = String(body?.["code"]);
  const { pass } = await openView(hub, { code }, shop);
  expect(pass?.token).toMatch(/^pagewire-shell\./);
  const token = String(pass?.token);
  expect((await openView(hub, { token }, shop)).pass).toBeDefined();
  expect((await (await openView(hub, { token })).closed)[0]).toBe("token-invalid");
  const refused = await askForCode(hub, hub.key, evil);
  expect(errorOf(refused)).toEqual([403, "origin-not-allowed"]);
  expect(JSON.stringify(refused.body)).toContain(`npx pagewire allow ${evil}`);
  const named = await askForCode(hub, hub.key, hub.url.replace("127.0.0.1", "localhost"));
  expect(named.body?.["url"]).toMatch(/^http:\/\/localhost:\d+\/terminal#code=/);
});

test("what is sent for a code is nothing, or a small JSON object with an origin", async () => {
  const hub = await startShellHub();
  const send = async (body: string, headers = {}) =>
    errorOf(await askOwn(hub, "POST /api/shell-codes", { token: hub.key, origin: undefined, body, headers }));
  expect(await send("{}")).toEqual([200, undefined]);
  for (const body of [
    "[]",
    "{",
    "null",
    '{"origin":7}',
    '{"origin":"null"}',
    `{"origin":"${shop}/"}`,
    '{"origin":"*"}',
  ])
    expect(await send(body), body).toEqual([400, "request-malformed"]);
  expect(await send("{}", { "Content-Type": "text/plain" })).toEqual([400, "request-malformed"]);
  expect(await send(JSON.stringify({ origin: "x".repeat(16_384) }))).toEqual([413, "body-too-large"]);
});

test("a code is good once, for codeTime, and a view that is signed in is not sent away with a used one", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const hub = await startShellHub();
  const code = await mintShellCode(hub);
  const views = await Promise.all([1, 2, 3].map(() => openView(hub, { code })));
  const [welcome, ...more] = views.filter(({ pass }) => pass !== undefined);
  expect(more).toEqual([]);
  const [refused] = views.filter(({ pass }) => pass === undefined);
  expect(await refused?.closed).toEqual(["token-invalid", expect.stringContaining("each is good once")]);
  const again = await openView(hub, { code, token: welcome?.pass?.token });
  expect(again.pass).toMatchObject({ admitted: { principal: "local" } });
  const late = await mintShellCode(hub);
  vi.setSystemTime(Date.now() + 11 * 60_000);
  expect((await (await openView(hub, { code: late })).closed)[0]).toBe("token-invalid");
});

test("a code presented by another page is spent, and that page gets the command for its own", async () => {
  const hub = await startShellHub();
  const code = await mintShellCode(hub);
  const { closed } = await openView(hub, { code }, shop);
  expect(await closed).toEqual(["token-invalid", expect.stringContaining(`npx pagewire terminal --for ${shop}`)]);
  expect((await openView(hub, { code })).pass).toBeUndefined();
  expect((await (await openView(hub, {}, shop)).closed)[1]).toContain(`npx pagewire terminal --for ${shop}`);
});

test("a page of a disallowed origin, and a program, are refused before anything they send is read", async () => {
  const hub = await startShellHub();
  const token = await signInView(hub);
  for (const origin of [evil, "null", null, "https://shop.example.evil.example", `${hub.url}0`]) {
    const { pass, closed } = await openView(hub, { token, code: await mintShellCode(hub) }, origin);
    expect([pass, (await closed)[0]]).toEqual([undefined, "origin-not-allowed"]);
  }
  expect(hub.records).toContainEqual(
    expect.objectContaining({ event: "page-refused", origin: evil, command: `npx pagewire allow ${evil}` }),
  );
});

test("what came as an origin is put into no command where a shell would do more with it than read it", async () => {
  const hub = await startShellHub();
  for (const origin of [
    "http://$(id).example",
    "http://a;id",
    "http://`id`",
    "http://a|id",
    "http://a b",
    "x' || id #",
  ])
    expect((await (await openView(hub, {}, origin)).closed)[0]).toBe("origin-not-allowed");
  const refused = hub.records.filter(({ event }) => event === "page-refused");
  expect(refused.map(({ command }) => command)).toEqual(refused.map(() => undefined));
  expect(refused).toHaveLength(6);
  for (const origin of ["tauri://localhost", "http://[::1]:5173", "http://b_c-d.xn--bcher-kva.example:80"])
    await (
      await openView(hub, {}, origin)
    ).closed;
  expect(hub.records.filter(({ command }) => command !== undefined)).toHaveLength(3);
});

test("when the shell key changes, every view and token that came from it ends within a second, and nothing else does", async () => {
  const hub = await startShellHub();
  const code = await mintShellCode(hub);
  const [token, view] = [await signInView(hub), await openView(hub, { code: await mintShellCode(hub) })];
  const [page, agent] = [await connectPage(hub.url), await openAgent(hub.url)];
  agent.send(agentHelloOf({ token: hub.token }));
  await agent.next("welcome");
  hub.rotateKey("another-shell-key");
  expect((await view.closed)[0]).toBe("token-expired");
  expect((await (await openView(hub, { token })).closed)[0]).toBe("token-expired");
  expect((await openView(hub, { code })).pass).toBeUndefined();
  expect(errorOf(await askForCode(hub, "shell-key-of-this-test"))).toEqual([401, "token-invalid"]);
  expect(hub.reviews).toBe(1);
  await Promise.all([page.settled(), agent.settled()]);
  expect([page.link.open, agent.link.open]).toEqual([true, true]);
  expect(await signInView(hub)).toMatch(/^pagewire-shell\./);
});

test("a view stays when the agents' token changes, and ends when its origin is taken back, its time is up, or others took its place", async () => {
  const hub = await startShellHub({ limits: { appSessionsPerPrincipal: 1 } });
  const first = await openView(hub, { code: await mintShellCode(hub, hub.key, shop) }, shop);
  hub.rotate("another-agents-token");
  expect((await openView(hub, { token: first.pass?.token }, shop)).pass).toBeDefined();
  hub.disallow(shop);
  expect((await first.closed)[0]).toBe("token-expired");
  const second = await openView(hub, { code: await mintShellCode(hub) });
  await openView(hub, { code: await mintShellCode(hub) });
  expect((await second.closed)[0]).toBe("token-expired");
  const brief = await startShellHub({ limits: { appSessionTime: 1000 } });
  const view = await openView(brief, { code: await mintShellCode(brief) });
  expect((await view.closed)[0]).toBe("token-expired");
});

test("a view's token outlives its hub, and no store and no log holds a code, a token or the key", async () => {
  const store = { ...createMemoryStore(), close: async () => {} };
  const hub = await startShellHub({ store: () => store });
  const code = await mintShellCode(hub);
  const token = String((await openView(hub, { code })).pass?.token);
  const kept = JSON.stringify([[...(await store.records("app-sessions", "local"))], hub.records]);
  for (const text of [code, token, token.slice(-43), hub.key]) expect(kept).not.toContain(text);
  const { port } = hub;
  await hub.close();
  const next = await startShellHub({ store: () => store, port });
  expect((await openView(next, { token })).pass).toBeDefined();
});

test("while the key is unavailable, all clients are refused", async () => {
  const hub = await startShellHub();
  const view = await openView(hub, { code: await mintShellCode(hub) });
  hub.rotateKey("");
  expect((await view.closed)[0]).toBe("token-expired");
  expect(hub.reviews).toBe(0);
  for (const token of ["", "x", "shell-key-of-this-test"]) expect(errorOf(await askForCode(hub, token))[0]).toBe(401);
});

test("what serves terminals knows the hub's address on this machine, and a tab only by its user and its page's origin", async () => {
  const hub = await startShellHub();
  const page = await connectPage(hub.url);
  const { url, hasTab } = hub.host;
  expect(url).toBe(hub.url);
  expect(hasTab("local", page.tabId, shop)).toBe(true);
  expect([hasTab("ann", page.tabId, shop), hasTab("local", page.tabId, hub.url), hasTab("local", "x", shop)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(hasTab("local", page.tabId, undefined)).toBe(false);
});

test("a stopping hub takes no new view, and one that closes closes what serves its terminals, once", async () => {
  const hub = await startShellHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const call = fetch(`${hub.url}/api/call/work`, {
    method: "POST",
    headers: { Authorization: `Bearer ${hub.token}`, "Content-Type": "application/json" },
    body: "{}",
  });
  const { id } = await page.nextCall();
  const token = await signInView(hub);
  const view = await openView(hub, { token });
  const drained = hub.drain();
  expect((await (await openView(hub, { token })).closed)[0]).toBe("going-away");
  page.ack(id);
  page.result(id, '{"content":[]}');
  await Promise.all([call, drained]);
  expect((await view.closed)[0]).toBe("going-away");
  await hub.close();
  expect(hub.closes).toBe(1);
});

test("a hub whose terminals cannot be served does not start, and leaves nothing behind", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const mount = () => {
    throw new Error("no pty");
  };
  const options = { agentToken: () => "t", shell: { mount, key: () => "k" } };
  await expect(createHub({ port, ...options })).rejects.toThrow("no pty");
  const next = await startHub({ port });
  expect(next.port).toBe(port);
});

test("what serves terminals and fails to close is written down, and does not keep the hub from closing", async () => {
  const close = () => Promise.reject(new Error("stuck"));
  const mount = () => ({ serve: () => {}, list: async () => [], end: async () => {}, review: () => {}, close });
  const hub = await startHub({ shell: { mount, key: () => "k" } });
  await hub.close();
  expect(hub.records).toContainEqual(expect.objectContaining({ event: "shells-not-closed", message: "stuck" }));
});
