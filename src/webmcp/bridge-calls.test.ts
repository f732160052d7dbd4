import type { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { eras, startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { createHold } from "../mcp-client/server-tools.test-helper.ts";
import { createLog, offering, register } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";
import type { WebMcpProgress } from "./web-mcp-options.ts";

const answers: Readonly<Record<string, object>> = {
  text: {
    content: [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
  },
  image: {
    content: [
      { type: "image", data: "AAAA", mimeType: "image/webp" },
      { type: "text", text: "caption" },
    ],
  },
  link: { content: [{ type: "resource_link", uri: "app://report", name: "report" }], _meta: { "x/y": 1 } },
  structured: { content: [], structuredContent: { sum: 7 } },
  empty: { content: [] },
  fails: { content: [{ type: "text", text: "database is locked" }], isError: true },
};

const answerAll = offering({ tools: () => Object.keys(answers), call: (name) => answers[name] as never });

test.each(eras)("by default the browser is given the %s server's result whole, an error too", async (era) => {
  const browser = fakeBrowser();
  const server = await startServer({ era, register: answerAll });
  await register({ url: server.url });
  for (const [name, answer] of Object.entries(answers)) expect(await browser.call(name)).toMatchObject(answer);
});

test.each([
  [{ at: "navigator" as const }, {}],
  [{ at: "document" as const }, { results: "text" as const }],
])("%j %j: the browser is given text, and an error is thrown in the server's words", async (setting, options) => {
  const browser = fakeBrowser(setting);
  const server = await startServer({ register: answerAll });
  const { said, logger } = createLog();
  await register({ url: server.url, logger, ...options });
  const given = await Promise.all(["text", "image", "structured", "empty"].map((name) => browser.call(name)));
  expect(given).toEqual(["one\ntwo", "data:image/webp;base64,AAAA\ncaption", '{"sum":7}', ""]);
  expect(said).toEqual([]);
  expect(await browser.call("link")).toBe("app://report");
  expect(said).toEqual([expect.stringMatching(/^warn "link".*"resource_link"/)]);
  await expect(browser.call("fails")).rejects.toThrow("database is locked");
});

test("a refusal by the server, and a missing tool, are error results with the reason", async () => {
  const browser = fakeBrowser();
  let names = ["one", "two"];
  const server = await startServer({
    register: offering({
      tools: () => names,
      call() {
        throw new Error("no such day");
      },
    }),
  });
  const handle = await register({ url: server.url });
  const gone = browser.tools.get("two");
  expect(await browser.call("one")).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("no such day") as string }],
    _meta: { "pagewire/code": "handler-failed" },
  });
  names = ["one"];
  await handle.refresh();
  expect(await gone?.execute({})).toMatchObject({ isError: true, _meta: { "pagewire/code": "tool-not-found" } });
});

describe.each(eras)("a server of the %s era", (era) => {
  test("a call that the browser cancels ends with its reason, and the server's handler is aborted", async () => {
    const browser = fakeBrowser();
    const hold = createHold();
    const server = await startServer({ era, register: hold.register });
    await register({ url: server.url });
    const cancel = new AbortController();
    const reason = new Error("never mind");
    const answer = browser.call("hold", {}, cancel.signal);
    await hold.started;
    cancel.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await hold.aborted;
    // In the newer era a call is cancelled by closing the request's connection.
    await expect.poll(() => server.of("notifications/cancelled").length).toBe(era === "legacy" ? 1 : 0);
  });

  test("a call's progress is reported with the browser's name of the tool", async () => {
    const browser = fakeBrowser();
    const server = await startServer({ era, register: registerWork });
    const onProgress = vi.fn<(news: WebMcpProgress) => void>();
    await register({ url: server.url, prefix: "my.", onProgress });
    await browser.call("my.work");
    expect(onProgress.mock.calls).toEqual([
      [{ tool: "my.work", progress: 1, total: 2, message: "half" }],
      [{ tool: "my.work", progress: 2 }],
    ]);
  });
});

function registerWork(mcp: McpServer): void {
  mcp.registerTool("work", { inputSchema: z.object({}) }, async (_, { mcpReq: { notify, _meta } }) => {
    const progressToken = _meta?.progressToken ?? "";
    const tell = (params: object) =>
      notify({ method: "notifications/progress", params: { progressToken, ...params } as never });
    await tell({ progress: 1, total: 2, message: "half" });
    await tell({ progress: 2 });
    return { content: [] };
  });
}

test("a call that takes longer than timeoutMs is given up, at the server too", async () => {
  const browser = fakeBrowser();
  const hold = createHold();
  const server = await startServer({ register: hold.register });
  await register({ url: server.url, timeoutMs: 3_600_000 });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const answer = browser.call("hold");
  await hold.started;
  vi.advanceTimersByTime(3_600_000);
  expect(await answer).toMatchObject({ isError: true, _meta: { "pagewire/code": "deadline-exceeded" } });
  await hold.aborted;
});

test("a server that does not answer within timeoutMs cannot be used", async () => {
  fakeBrowser();
  const server = await startServer({ instead: () => true });
  await expect(register({ url: server.url, timeoutMs: 50 })).rejects.toMatchObject({ code: "server-unreachable" });
});

test("while the server is away calls are reported as not made, and the next call that reaches it succeeds", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  const handle = await register({ url: server.url });
  await server.stop();
  await expect
    .poll(() => browser.call("one"))
    .toMatchObject({ isError: true, _meta: { "pagewire/code": "not-delivered" } });
  expect(handle.tools).toEqual(["one"]);
  await server.start();
  expect(await browser.call("one")).toMatchObject({ content: [{ text: "one {}" }] });
});

test.each(eras)(
  "a call of the %s era whose server dies ends at once, and it is not known whether it ran",
  async (era) => {
    const browser = fakeBrowser();
    const hold = createHold();
    const server = await startServer({ era, register: hold.register });
    await register({ url: server.url });
    const answer = browser.call("hold");
    await hold.started;
    await server.stop();
    expect(await answer).toMatchObject({ isError: true, _meta: { "pagewire/code": "outcome-unknown" } });
  },
);

test("a call in a session that the server has forgotten is made in a new one", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ era: "legacy", register: offering({ tools: () => ["one"] }) });
  await register({ url: server.url });
  server.expire();
  expect(await browser.call("one")).toMatchObject({ content: [{ text: "one {}" }] });
  expect(server.of("initialize")).toHaveLength(2);
});
