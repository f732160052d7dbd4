import { describe, expect, test } from "vitest";
import { eras, startServer } from "../mcp-client/mcp-server.test-helper.ts";
import type { JsonObject } from "../wire/index.ts";
import { answering } from "../mcp-client/server-tools.test-helper.ts";
import { createLog, errorSpy, offering, register, syncSpy } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";

const schema = { type: "object" };
const namesOf = ([tools]: unknown[]) => (tools as { name: string }[]).map(({ name }) => name);

describe.each(eras)("a server of the %s era", (era) => {
  test("what the server adds and removes comes and goes in the browser, and nothing else is touched", async () => {
    const browser = fakeBrowser();
    let names = ["keep", "leave"];
    const server = await startServer({ era, register: offering({ tools: () => names }) });
    const onSync = syncSpy();
    const handle = await register({ url: server.url, prefix: "my.", onSync });
    await server.listened();
    names = ["keep", "come"];
    await server.changed("tools");
    await expect.poll(() => handle.tools).toEqual(["my.keep", "my.come"]);
    expect(browser.changes).toEqual(["+my.keep", "+my.leave", "-my.leave", "+my.come"]);
    await expect
      .poll(() => onSync.mock.calls.map(namesOf))
      .toEqual([
        ["keep", "leave"],
        ["keep", "come"],
      ]);
  });

  test("a restarted server is found again, which is logged, and its tools remain registered meanwhile", async () => {
    const browser = fakeBrowser();
    let names = ["before"];
    const server = await startServer({ era, register: offering({ tools: () => names }) });
    const { said, logger } = createLog();
    const onError = errorSpy();
    const handle = await register({ url: server.url, logger, onError });
    await server.listened();
    await server.stop();
    await expect.poll(() => onError.mock.calls.length).toBe(1);
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining(server.url) as string }),
    );
    expect(said).toEqual([expect.stringMatching(new RegExp(`^warn .*${server.url}.*looked for.*tools stay`))]);
    expect(handle.tools).toEqual(["before"]);
    names = ["after"];
    await server.start();
    await expect.poll(() => [...browser.tools.keys()]).toEqual(["after"]);
    expect(onError).toHaveBeenCalledTimes(1);
    await expect.poll(() => said.slice(1)).toEqual([`info The MCP server at ${server.url} is back.`]);
  });

  test("without watch no connection remains open, and refresh reads the list again", async () => {
    const browser = fakeBrowser();
    let names = ["one", "two"];
    const server = await startServer({ era, register: offering({ tools: () => names }) });
    const onSync = syncSpy();
    const handle = await register({ url: server.url, watch: false, onSync });
    names = ["two", "three"];
    await handle.refresh();
    expect(handle.tools).toEqual(["two", "three"]);
    expect(browser.changes).toEqual(["+one", "+two", "-one", "+three"]);
    expect(onSync).toHaveBeenCalledTimes(2);
    expect([...server.of("GET"), ...server.of("subscriptions/listen")]).toEqual([]);
  });
});

test("a refresh without changes leaves the browser's tools alone, and reports the current ones", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one", "two"] }) });
  const onSync = syncSpy();
  const handle = await register({ url: server.url, onSync });
  await handle.refresh();
  await handle.refresh();
  expect(browser.changes).toEqual(["+one", "+two"]);
  expect(onSync.mock.calls.map(namesOf)).toEqual(Array(3).fill(["one", "two"]));
});

test("however many refresh at once, it is one reading and one promise; later there is another", async () => {
  fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  const onSync = syncSpy();
  const handle = await register({ url: server.url, onSync });
  const promises = Array.from({ length: 200 }, () => handle.refresh());
  expect(new Set(promises).size).toBe(1);
  await Promise.all(promises);
  expect([server.of("tools/list").length, onSync.mock.calls.length]).toEqual([2, 2]);
  await handle.refresh();
  expect(server.of("tools/list")).toHaveLength(3);
});

test("a failed refresh rejects with the reason, does not call onError, and keeps the tools", async () => {
  fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  const onError = errorSpy();
  const handle = await register({ url: server.url, watch: false, onError });
  await server.stop();
  await expect(handle.refresh()).rejects.toMatchObject({
    code: "server-unreachable",
    message: expect.stringContaining(server.url) as string,
  });
  expect([handle.tools, onError.mock.calls]).toEqual([["one"], []]);
  await server.start();
  await handle.refresh();
});

test("changes received during a failed refresh are not lost", async () => {
  fakeBrowser();
  let reads = 0;
  const held: (() => void)[] = [];
  const server = await startServer({
    register: offering({ tools: () => ["one"] }),
    instead({ method, body }, response) {
      if (method !== "tools/list" || ++reads === 1) return false;
      // The read after the notification returns the new list, late; the reads of the refresh fail.
      const tools = [{ name: "two", inputSchema: schema }];
      const result = { resultType: "complete", ttlMs: 0, cacheScope: "private", tools };
      const isForNews = reads === 2;
      held.push(() =>
        isForNews
          ? response
              .writeHead(200, { "content-type": "application/json" })
              .end(JSON.stringify({ jsonrpc: "2.0", id: body["id"], result }))
          : response.writeHead(500).end(),
      );
      if (!isForNews) held.at(-1)?.();
      return true;
    },
  });
  const handle = await register({ url: server.url });
  await server.listened();
  await server.changed("tools");
  await expect.poll(() => held.length).toBe(1);
  const refreshing = handle.refresh();
  held[0]?.();
  await expect(refreshing).rejects.toThrow();
  await expect.poll(() => handle.tools).toEqual(["two"]);
});

test("a failed background read is reported to onError, and keeps the tools", async () => {
  fakeBrowser();
  let isBroken = false;
  const server = await startServer({
    register: offering({ tools: () => ["one"] }),
    instead({ method }, response) {
      if (!isBroken || method !== "tools/list") return false;
      response.writeHead(500).end("no list today");
      return true;
    },
  });
  const onError = errorSpy();
  const handle = await register({ url: server.url, onError });
  await server.listened();
  isBroken = true;
  await server.changed("tools");
  await expect.poll(() => onError.mock.calls.length).toBe(1);
  const [[error]] = onError.mock.calls as [[Error]];
  expect(error.message).toMatch(new RegExp(`${server.url}.*no list today`));
  expect(handle.tools).toEqual(["one"]);
});

test("a list that changes while it is read is read once more", async () => {
  fakeBrowser();
  let names = ["one"];
  let next: (() => void) | undefined;
  const server = await startServer({
    register: offering({ tools: () => names }),
    instead({ method }) {
      if (method === "tools/list") next?.();
      next = undefined;
      return false;
    },
  });
  const handle = await register({ url: server.url });
  await server.listened();
  names = ["one", "two"];
  next = () => {
    void server.changed("tools").then(() => (names = ["one", "three"]));
  };
  await handle.refresh();
  await server.changed("tools");
  await expect.poll(() => handle.tools).toEqual(["one", "three"]);
});

test("a list in parts is followed to its end; one whose cursor turns in a circle has an end all the same", async () => {
  fakeBrowser();
  const part = (cursor: unknown) => ({
    tools: [{ name: `tool-${typeof cursor === "string" ? cursor : "first"}`, inputSchema: schema }],
    ...(cursor === "c" ? {} : { nextCursor: { a: "b", b: "c" }[String(cursor)] ?? "a" }),
  });
  const whole = await startServer({ instead: answering({ "tools/list": ({ cursor }) => part(cursor) }) });
  expect((await register({ url: whole.url })).tools).toEqual(["tool-first", "tool-a", "tool-b", "tool-c"]);
  let count = 0;
  const turning = await startServer({
    instead: answering({
      "tools/list": () => ({
        tools: [{ name: `turn-${++count % 2}`, inputSchema: schema }],
        nextCursor: String(count % 2),
      }),
    }),
  });
  const onError = errorSpy();
  const handle = await register({ url: turning.url, onError, limits: { pagesPerList: 9 } });
  expect(handle.tools).toEqual(["turn-1", "turn-0"]);
  expect([handle.refused.at(-1)?.name, onError.mock.calls]).toEqual(["*", []]);
  expect(handle.refused.at(-1)?.message).toContain("pagesPerList");
});

test("MC54: an invalid tool is left out: refused names it with the reason, the log once, and a start tells onError nothing", async () => {
  fakeBrowser();
  const tools = [
    { name: "list", inputSchema: [] },
    { name: "text", inputSchema: "object" },
    { name: "none" },
    { name: "large", inputSchema: { type: "object", description: "x".repeat(1_000_000) } },
    { name: "y".repeat(3000), inputSchema: schema },
    { name: "good", inputSchema: schema },
    { name: "good", inputSchema: schema },
    { name: "not good", inputSchema: schema },
  ];
  const server = await startServer({ instead: answering({ "tools/list": () => ({ tools }) }) });
  const onError = errorSpy();
  const { said, logger } = createLog();
  const handle = await register({ url: server.url, onError, logger, prefix: "my." });
  await handle.refresh();
  expect(handle.tools).toEqual(["my.good"]);
  const names = ["list", "text", "none", "large", "yyy", "good", "not good"];
  expect(handle.refused).toEqual(
    names.map((name) => ({
      name: expect.stringMatching(new RegExp(`^my.${name}`)) as string,
      message: expect.stringMatching(name === "not good" ? /Invalid tool name/ : new RegExp(`"${name}`)) as string,
    })),
  );
  const warnings = names.map((name) => expect.stringMatching(new RegExp(`^warn .*"(my.)?${name}`)) as string);
  expect([said, onError.mock.calls]).toEqual([warnings, []]);
  const large = await register({ url: server.url, limits: { schemaBytes: 2_000_000 }, prefix: "2." });
  expect(large.tools).toEqual(["2.large", "2.good"]);
});

test("a tool that becomes invalid later is told to onError once, and refused until it is valid", async () => {
  fakeBrowser();
  let tools: readonly JsonObject[] = [{ name: "one", inputSchema: schema }];
  const server = await startServer({ register: offering({ tools: () => tools }) });
  const onError = errorSpy();
  const handle = await register({ url: server.url, onError });
  await server.listened();
  tools = [{ name: "one", inputSchema: [] }];
  await server.changed("tools");
  await expect.poll(() => handle.refused).toMatchObject([{ name: "one" }]);
  await handle.refresh();
  expect(onError.mock.calls).toEqual([
    [expect.objectContaining({ message: expect.stringMatching(new RegExp(`${server.url}.*"one"`)) as string })],
  ]);
  tools = [{ name: "one", inputSchema: schema }];
  await handle.refresh();
  expect([handle.tools, handle.refused]).toEqual([["one"], []]);
  await handle.dispose();
  expect(handle.refused).toEqual([]);
});

test("a session that the server has forgotten is told as a sentence, and another is begun", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ era: "legacy", register: offering({ tools: () => ["one"] }) });
  const onError = errorSpy();
  await register({ url: server.url, onError });
  await server.listened();
  server.expire();
  expect(await browser.call("one")).toMatchObject({ content: [{ text: "one {}" }] });
  const message = `The MCP server at ${server.url} has forgotten the session. It is looked for, and its tools stay.`;
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ message })]]);
});

test.each([405, 404, 400])("a server that answers %i to who wants its news is used without", async (status) => {
  const browser = fakeBrowser();
  const server = await startServer({
    era: "legacy",
    register: offering({ tools: () => ["one"] }),
    instead({ http }, response) {
      if (http === "GET") response.writeHead(status).end();
      return http === "GET";
    },
  });
  const onError = errorSpy();
  const handle = await register({ url: server.url, onError });
  await server.listened();
  expect(await browser.call("one")).toMatchObject({ content: [{ text: "one {}" }] });
  expect([handle.tools, onError.mock.calls]).toEqual([["one"], []]);
});

test.each(eras)("MC49: a stream of news of the %s era that fails late, after the start, is told once", async (era) => {
  fakeBrowser();
  let names = ["one"];
  const held: (() => void)[] = [];
  const server = await startServer({
    era,
    register: offering({ tools: () => names }),
    instead({ http, method }, response) {
      if ((http !== "GET" && method !== "subscriptions/listen") || held.length === 3) return false;
      held.push(() => response.writeHead(503).end());
      if (held.length > 1) held.at(-1)?.();
      return true;
    },
  });
  const onError = errorSpy();
  const handle = await register({ url: server.url, onError });
  expect([handle.tools, onError.mock.calls]).toEqual([["one"], []]);
  names = ["two"];
  held[0]?.();
  await expect.poll(() => handle.tools).toEqual(["two"]);
  const message = `The MCP server at ${server.url} does not give its stream of news: it answered 503. It is asked again.`;
  expect([held.length, onError.mock.calls]).toEqual([3, [[expect.objectContaining({ message })]]]);
});

test.each(eras)(
  "a stream of news of the %s era that is cut is opened again, and what changed is heard",
  async (era) => {
    fakeBrowser();
    let names = ["one"];
    const server = await startServer({ era, register: offering({ tools: () => names }) });
    const handle = await register({ url: server.url });
    await server.listened();
    names = ["two"];
    server.cut();
    await expect.poll(() => handle.tools).toEqual(["two"]);
  },
);
