import { expect, test } from "vitest";
import { startServer } from "../mcp-client/mcp-server.test-helper.ts";
import type { TestServer } from "../mcp-client/mcp-server.test-helper.ts";
import { createLog, errorSpy, offering, register, syncSpy } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";

const serverOf = (...names: readonly string[]): Promise<TestServer> =>
  startServer({ register: offering({ tools: () => names }) });

test("several servers in one call are one handle, each with its own prefix, headers and tools", async () => {
  const browser = fakeBrowser();
  const [one, two] = [await serverOf("search", "add"), await serverOf("search")];
  const onSync = syncSpy();
  const handle = await register({
    servers: [
      { url: one.url, prefix: "one.", headers: { "X-Tenant": "1" }, filter: ({ name }) => name !== "add" },
      { url: two.url, prefix: "two.", getHeaders: () => ({ "X-Tenant": "2" }) },
    ],
    onSync,
  });
  expect(handle.tools).toEqual(["one.search", "two.search"]);
  expect(await browser.call("two.search", { a: 1 })).toMatchObject({ content: [{ text: 'search {"a":1}' }] });
  expect([one.of("tools/call").length, two.of("tools/call").length]).toEqual([0, 1]);
  const tenants = [one, two].map(({ heard }) => [...new Set(heard.map(({ headers }) => headers["x-tenant"]))]);
  expect(tenants).toEqual([["1"], ["2"]]);
  expect(onSync.mock.lastCall).toMatchObject([[{ name: "search" }, { name: "search" }]]);
});

test("an unreachable server does not affect the others, is reported, and is connected when it is up", async () => {
  fakeBrowser();
  const [down, up] = [await serverOf("late"), await serverOf("early")];
  await down.stop();
  const onError = errorSpy();
  const handle = await register({ servers: [{ url: down.url }, { url: up.url }], onError });
  expect(handle.tools).toEqual(["early"]);
  expect(onError.mock.calls).toEqual([
    [expect.objectContaining({ message: expect.stringContaining(down.url) as string })],
  ]);
  await down.start();
  await expect.poll(() => handle.tools).toEqual(["late", "early"]);
  expect(onError).toHaveBeenCalledTimes(1);
});

test("without watch refresh looks for a server that was down; what it cannot read rejects, the rest is there", async () => {
  fakeBrowser();
  let names = ["early"];
  const down = await serverOf("late");
  const up = await startServer({ register: offering({ tools: () => names }) });
  await down.stop();
  const handle = await register({ servers: [{ url: down.url }, { url: up.url }], watch: false });
  names = ["new"];
  await expect(handle.refresh()).rejects.toThrow(down.url);
  expect(handle.tools).toEqual(["new"]);
  await down.start();
  await handle.refresh();
  expect(handle.tools).toEqual(["late", "new"]);
});

test("where none can be used the promise rejects and names them all; nothing goes on, and onError is not called", async () => {
  const browser = fakeBrowser();
  const [one, two] = [await serverOf("one"), await serverOf("two")];
  await Promise.all([one.stop(), two.stop()]);
  const onError = errorSpy();
  const onSync = syncSpy();
  const failure: unknown = await register({ servers: [{ url: one.url }, { url: two.url }], onError, onSync }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: "server-unreachable",
    message: expect.stringMatching(new RegExp(`${one.url}.*${two.url}`)) as string,
  });
  await Promise.all([one.start(), two.start()]);
  expect([browser.changes, onError.mock.calls, onSync.mock.calls]).toEqual([[], [], []]);
});

test("the tools of one server are there although another does not answer yet", async () => {
  const browser = fakeBrowser();
  let answer = () => {};
  const silent = await startServer({
    register: offering({ tools: () => ["late"] }),
    instead(_, response) {
      answer = () => response.writeHead(503).end();
      return true;
    },
  });
  const up = await serverOf("early");
  const handle = register({ servers: [{ url: silent.url }, { url: up.url }] });
  await expect.poll(() => [...browser.tools.keys()]).toEqual(["early"]);
  await expect.poll(() => silent.heard.length).toBeGreaterThan(0);
  answer();
  expect((await handle).tools).toEqual(["early"]);
});

test("of two tools with one name the first server's is used; the other is reported once, until the name is free", async () => {
  const browser = fakeBrowser();
  let names = ["same", "mine"];
  const one = await startServer({
    register: offering({ tools: () => names, call: () => ({ content: [], from: "one" }) }),
  });
  const two = await startServer({
    register: offering({ tools: () => ["same"], call: () => ({ content: [], from: "two" }) }),
  });
  const { said, logger } = createLog();
  const handle = await register({ servers: [{ url: one.url }, { url: two.url }], logger, watch: false });
  expect(handle.tools).toEqual(["same", "mine"]);
  expect(handle.refused).toEqual([{ name: "same", message: expect.stringContaining(`${one.url} has`) as string }]);
  expect(await browser.call("same")).toMatchObject({ from: "one" });
  await handle.refresh();
  expect(said).toEqual([expect.stringMatching(/^warn .*"same".*prefix/)]);
  names = ["mine"];
  await handle.refresh();
  expect([handle.tools, handle.refused]).toEqual([["mine", "same"], []]);
  expect(await browser.call("same")).toMatchObject({ from: "two" });
});

test("two handles with one name: the browser refuses the later, and takes nothing from the earlier", async () => {
  const browser = fakeBrowser();
  const [one, two] = [await serverOf("same"), await serverOf("same", "other")];
  const first = await register({ url: one.url });
  const second = await register({ url: two.url });
  expect([first.tools, second.tools]).toEqual([["same"], ["other"]]);
  expect(second.refused).toMatchObject([{ name: "same" }]);
  await second.dispose();
  expect([...browser.tools.keys()]).toEqual(["same"]);
  expect(await browser.call("same")).toMatchObject({ content: [{ text: "same {}" }] });
});
