import { expect, test } from "vitest";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { openCore, startCore } from "./core.test-helper.ts";
import { playModel, sayAlways } from "./model.test-helper.ts";

const page = { origin: shop };
const secret = "s".repeat(40);
const ai = { provider: "openai", model: "m", fetch: sayAlways("Hi.").fetch } as const;

test("a refused client gets the reason over the socket: the origin, or the credential", async () => {
  const hub = await startHub({ ai });
  for (const [options, name, words] of [
    [{ origin: "https://evil.example" }, "origin-not-allowed", "Pages of https://evil.example"],
    [{ origin: "null" }, "origin-not-allowed", "origin of its own"],
    [{}, "token-required", "Agents need the hub's token."],
    [{ token: "wrong" }, "token-invalid", "not the hub's token"],
    [{ origin: "https://evil.example", token: hub.token }, "origin-not-allowed", "evil"],
    [{ protocols: [`pagewire.bearer.${hub.token}`] }, "origin-not-allowed", "origin of its own"],
  ] as const) {
    const client = await openCore(hub.url, {
      ...options,
      protocols: [...("protocols" in options ? options.protocols : [])],
    });
    expect(await client.closed, JSON.stringify(options)).toEqual([name, expect.stringContaining(words)]);
    expect(client.came).toEqual([]);
  }
  expect(hub.records).toContainEqual(
    expect.objectContaining({ event: "page-refused", command: "npx pagewire allow https://evil.example" }),
  );
});

test("in jwt mode a page brings its token as a subprotocol, in either form, and a program in its header", async () => {
  const hub = await startHub({ ai, jwt: { secret } });
  const forPages = await signPageToken({ secret, subject: "ada", origin: shop });
  const forAgents = await signAgentToken({ secret, subject: "ada" });
  for (const form of ["pagewire.bearer", "auth0-gate.bearer"]) {
    const client = await startCore(hub.url, { ...page, protocols: [`${form}.${forPages}`] });
    expect(await client.run("send", "Hello", {})).toBe("Hi.");
    expect(client.protocol).toBe(`${form}.${forPages}`);
  }
  const program = await startCore(hub.url, { token: forAgents });
  expect(await program.run("send", "Hello", {})).toBe("Hi.");
  for (const [options, name] of [
    [page, "token-required"],
    [{ ...page, protocols: [`pagewire.bearer.${forAgents}`] }, "token-invalid"],
    [{ origin: "https://evil.example", protocols: [`pagewire.bearer.${forPages}`] }, "token-invalid"],
    [{ ...page, protocols: [`pagewire.bearer.${forPages}`, `auth0-gate.bearer.${forPages}`] }, "token-required"],
    [{ token: forPages }, "token-invalid"],
    [{}, "token-required"],
  ] as const) {
    const client = await openCore(hub.url, options as never);
    expect((await client.closed)[0], JSON.stringify(options)).toBe(name);
  }
});

test("of the offered subprotocols the one without a secret is chosen, where there is one", async () => {
  const hub = await startHub({ ai });
  const chosen = async (protocols: string[]) => (await openCore(hub.url, { ...page, protocols })).protocol;
  expect(await chosen(["pagewire.bearer.x", "pagewire.core.1"])).toBe("pagewire.core.1");
  expect(await chosen(["pagewire.bearer.x"])).toBe("pagewire.bearer.x");
  expect(await chosen(["anything"])).toBe("anything");
  expect(await chosen([])).toBe("");
});

test("what let a socket in is looked at again: it closes when its token is rotated, or its origin is not allowed any more", async () => {
  const hub = await startHub({ ai });
  const [program, browser] = [await startCore(hub.url, { token: hub.token }), await startCore(hub.url, page)];
  hub.rotate("another-token-of-this-test");
  expect((await program.closed)[0]).toBe("token-expired");
  expect(await browser.run("send", "Hello", {})).toBe("Hi.");
  hub.disallow(shop);
  expect((await browser.closed)[0]).toBe("token-expired");
  hub.allow(shop);
  expect(await (await startCore(hub.url, { ...page, session: browser.session })).run("send", "Hello", {})).toBe("Hi.");
});

test("a socket closes when the token that let it in ends", async () => {
  const hub = await startHub({ ai, jwt: { secret } });
  const token = await signPageToken({ secret, subject: "ada", expiresIn: 3 });
  const client = await startCore(hub.url, { ...page, protocols: [`pagewire.bearer.${token}`] });
  expect((await client.closed)[0]).toBe("token-expired");
});

test("a silent socket is closed after strangerTime, and one that sends unreadable text at once", async () => {
  const hub = await startHub({ ai, limits: { strangerTime: 20 } });
  expect((await (await openCore(hub.url, page)).closed)[0]).toBe("hello-late");
  const patient = await startHub({ ai, limits: { frameBytes: 10_000 } });
  const other = await startCore(patient.url, page);
  for (const text of [
    "",
    "{",
    "[1]",
    "null",
    '"sync"',
    `${"[".repeat(1000)}`,
    `{"a":${"[".repeat(100)}${"]".repeat(100)}}`,
  ]) {
    const client = await openCore(patient.url, page);
    client.sayText(text);
    expect((await client.closed)[0], text).toBe("frame-malformed");
  }
  const large = await openCore(patient.url, page);
  large.sayText(JSON.stringify({ type: "sync", more: "x".repeat(20_000) }));
  expect((await large.closed)[0]).not.toBe("normal");
  expect(await other.run("send", "Hello", {})).toBe("Hi.");
});

test("whatever a raw client sends, others are served, and it learns nothing about the hub's internals", async () => {
  const hub = await startHub({ ai });
  const raw = await startCore(hub.url, page);
  const other = await startCore(hub.url, page);
  const junk = [
    { type: "cmd", name: "constructor", id: "1", args: [] },
    { type: "cmd", name: "registerTool", id: "2", args: ["x"] },
    { type: "cmd", name: "close", id: "3", args: [] },
    { type: "set", name: "__proto__", value: {}, id: "4" },
    { type: "set", name: "content", value: "forged", id: "5" },
    { type: "cmd", name: "send", id: "6", args: {} },
    { type: "sync", pagewire: { client: "x".repeat(1000), session: other.session, seen: -1, pending: ["6"] } },
    { type: "update", name: "content", value: "forged" },
    { type: "cancel", id: "none" },
    {},
  ];
  for (const message of junk) raw.say(message);
  expect(await raw.run("send", "Hello", {})).toBe("Hi.");
  expect(raw.values["content"]).toBe("Hi.");
  expect(JSON.stringify(raw.came)).not.toMatch(/\.ts:\d+|node:internal|stack/);
  expect(await other.run("send", "Hello", {})).toBe("Hi.");
  expect(other.values["content"]).toBe("Hi.");
});

test("a stopping hub finishes an answer, starts no other, and saves the conversation", async () => {
  let goOn = () => {};
  const waits = new Promise<void>((resolve) => (goOn = resolve));
  const model = playModel(() => ({ text: "Long story", waits }));
  const hub = await startHub({ ai: { ...ai, fetch: model.fetch } });
  const client = await startCore(hub.url, page);
  const answer = client.run("send", "Tell me", {});
  await client.until(({ content }) => content === "Long story");
  const drained = hub.drain();
  await expect(client.run("send", "More", {})).rejects.toMatchObject({ code: "going-away" });
  goOn();
  expect(await answer).toBe("Long story");
  await drained;
  expect((await client.closed)[0]).toBe("going-away");
});

test("a hub that closes stops every answer", async () => {
  const model = playModel(() => ({ text: "Once", waits: new Promise(() => {}) }));
  const hub = await startHub({ ai: { ...ai, fetch: model.fetch } });
  const client = await startCore(hub.url, page);
  client.run("send", "Tell me", {}).catch(() => {});
  await client.until(({ content }) => content === "Once");
  await Promise.all([hub.close(), hub.close()]);
  expect(model.requests[0]?.signal?.aborted).toBe(true);
});

test("a client that does not read delays no other, and gets its answer's outcome when it reads again", async () => {
  const text = "語".repeat(2_000_000);
  const hub = await startHub({ ai: { ...ai, fetch: sayAlways(text).fetch } });
  const slow = await startCore(hub.url, page);
  const other = await startCore(hub.url, { ...page, session: slow.session });
  slow.pause();
  const answers = [slow.run("send", "one", {}), other.until(({ content }) => content === text)];
  await answers[1];
  expect(await other.run("send", "two", {})).toBe(text);
  slow.resume();
  expect(await answers[0]).toBe(text);
  await slow.until(({ messages }) => (messages as unknown[]).length === 4);
});

test("a hub without a model closes the socket with that reason", async () => {
  const hub = await startHub({ ai: "none" });
  const client = await openCore(hub.url, page);
  expect(await client.closed).toEqual(["model-missing", expect.stringContaining("This hub has no model.")]);
});
