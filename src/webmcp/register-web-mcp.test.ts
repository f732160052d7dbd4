import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eras, startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { createLog, errorSpy, offering, register, syncSpy } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";
import { registerWebMcp } from "./register-web-mcp.ts";
import type { McpTool } from "./web-mcp-options.ts";

const sales = {
  name: "sales",
  title: "Sales",
  description: "Sums sales.",
  inputSchema: { type: "object", properties: { days: { type: "number" } } },
  outputSchema: { type: "object", properties: { sum: { type: "number" } } },
  annotations: { readOnlyHint: true, openWorldHint: true },
};

describe.each(eras)("a server of the %s era", (era) => {
  test("its tools are registered with all their fields, and it is called by its own names", async () => {
    const browser = fakeBrowser();
    const server = await startServer({ era, register: offering({ tools: () => [sales, "plain"] }) });
    const handle = await register({ url: server.url, prefix: "shop." });
    expect(handle.tools).toEqual(["shop.sales", "shop.plain"]);
    expect([...browser.tools.keys()]).toEqual(handle.tools);
    expect(browser.tools.get("shop.sales")).toMatchObject({
      ...sales,
      name: "shop.sales",
      annotations: { readOnlyHint: true, untrustedContentHint: true },
    });
    expect(browser.tools.get("shop.plain")).toMatchObject({ description: "plain" });
    expect(await browser.call("shop.sales", { days: 7 })).toMatchObject({
      content: [{ type: "text", text: 'sales {"days":7}' }],
    });
  });
});

test("the browser's older place is used where there is no newer", async () => {
  const browser = fakeBrowser({ at: "navigator" });
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  await register({ url: server.url });
  expect([...browser.tools.keys()]).toEqual(["one"]);
});

test("without a model context nothing is asked for, and the handle is empty", async () => {
  const server = await startServer();
  const { said, logger } = createLog();
  const onSync = syncSpy();
  const handle = await registerWebMcp({ url: server.url, onSync, logger });
  expect([handle.tools, handle.refused, handle.disposed]).toEqual([[], [], false]);
  expect(onSync.mock.calls).toEqual([[[]]]);
  expect(said).toEqual([expect.stringMatching(/^info .*document\.modelContext.*navigator\.modelContext/)]);
  await handle.refresh();
  await handle.dispose();
  expect(handle.disposed).toBe(true);
  expect(server.heard).toEqual([]);
});

test("on a server a relative address is no error", async () => {
  const handle = await registerWebMcp({ url: "/mcp", quiet: true });
  expect(handle.tools).toEqual([]);
});

test("a refused tool is reported with advice, and does not affect the others", async () => {
  const browser = fakeBrowser({ taken: ["taken"] });
  const names = ["with space", "a/b", "x".repeat(129), "taken", "good"];
  const server = await startServer({ register: offering({ tools: () => names }) });
  const { said, logger } = createLog();
  const onError = errorSpy();
  const handle = await register({ url: server.url, logger, onError });
  expect([handle.tools, [...browser.tools.keys()]]).toEqual([["good"], ["good"]]);
  expect(handle.refused.map(({ name }) => name)).toEqual(names.slice(0, 4));
  expect(handle.refused.map(({ message }) => message)).toEqual([
    ...Array(3).fill(expect.stringMatching(/Invalid tool name.*1 to 128/)),
    expect.stringMatching(/Duplicate tool name.*rename/),
  ]);
  const warnings = said.length;
  expect(warnings).toBe(4);
  await handle.refresh();
  expect([said.length, onError.mock.calls]).toEqual([warnings, []]);
});

test("changes to the handle's return values have no effect", async () => {
  fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one", "not good"] }) });
  const onSync = (tools: McpTool[]) => tools.forEach((tool) => Object.assign(tool, { name: "evil" }));
  const handle = await register({ url: server.url, onSync });
  (handle.tools as string[]).push("evil");
  (handle.refused as unknown[]).push("evil");
  await handle.refresh();
  expect([handle.tools, handle.refused.map(({ name }) => name)]).toEqual([["one"], ["not good"]]);
});

test("where the MCP client cannot be loaded the promise rejects with what is missing", async () => {
  vi.doMock("./bridge-server.ts", () => {
    throw new Error("no such file");
  });
  onTestFinished(() => vi.doUnmock("./bridge-server.ts"));
  fakeBrowser();
  await expect(register({ url: "http://127.0.0.1:9/mcp" })).rejects.toMatchObject({
    code: "part-missing",
    message: expect.stringContaining("MCP client") as string,
  });
});

test("the browser gets the origins that may see the tools", async () => {
  const registerTool = vi.fn<() => Promise<void>>(async () => {});
  vi.stubGlobal("document", { modelContext: { registerTool } });
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  await register({ url: server.url, exposedTo: ["https://agent.example"] });
  expect(registerTool).toHaveBeenCalledWith(
    expect.objectContaining({ name: "one" }),
    expect.objectContaining({ exposedTo: ["https://agent.example"] }),
  );
});

const url = "http://127.0.0.1:9/mcp";

test.each([
  [{ url: "/mcp" }, "relative"],
  [{ url: "nowhere at all" }, "url"],
  [{}, "url"],
  [{ url: "http://me:secret@127.0.0.1/mcp" }, "address"],
  [{ url, prefix: 5 }, "prefix"],
  [{ url, timeoutMs: 0 }, "timeoutMs"],
  [{ url, filter: "name" }, "filter"],
  [{ url, getHeaders: {} }, "getHeaders"],
  [{ url, results: "html" }, "results"],
  [{ servers: [] }, "servers"],
  [{ servers: [{ url }], url }, "servers"],
  [{ url, limits: { tools: 5 } }, '"tools"'],
])("an option of the wrong form is refused by name: %j, %s", async (options, name) => {
  fakeBrowser();
  const refusal: unknown = await register(options as never).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: "options-invalid",
    message: expect.stringMatching(new RegExp(`^(?!.*secret).*${name}`)) as string,
  });
});

test.each(["", 5, null])("in a page, too, %j is no address", async (nothing) => {
  fakeBrowser();
  vi.stubGlobal("location", new URL("http://127.0.0.1:9/shop/"));
  await expect(register({ url: nothing } as never)).rejects.toMatchObject({
    code: "options-invalid",
    message: expect.stringContaining("url must be") as string,
  });
});

test("a relative address is taken from the page's origin", async () => {
  fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  vi.stubGlobal("location", new URL("/deep/page?x=1", server.url));
  expect((await register({ url: "/mcp" })).tools).toEqual(["one"]);
  vi.stubGlobal("location", { origin: "null" });
  expect((await register({ url: server.url, prefix: "again." })).tools).toEqual(["again.one"]);
  await expect(register({ url: "/mcp" })).rejects.toMatchObject({ code: "options-invalid" });
});

test("the log is the console by default, with the adapter's name before each line", async () => {
  const info = vi.spyOn(console, "info").mockImplementation(() => {});
  await registerWebMcp({ url: "/mcp" });
  expect(info.mock.calls).toEqual([["[webmcp-adapter]", expect.stringContaining("navigator.modelContext")]]);
  info.mockRestore();
});

test("the log can be one's own, and one that throws ends nothing", async () => {
  fakeBrowser();
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  const fail = () => {
    throw new Error("no log");
  };
  const server = await startServer({ register: offering({ tools: () => ["not good", "good"] }) });
  const handle = await register({ url: server.url, logger: { info: fail, warn: fail, error: fail } });
  expect(handle.tools).toEqual(["good"]);
  expect(error).toHaveBeenCalledWith("[webmcp-adapter]", "The logger threw:", expect.any(Error));
  error.mockRestore();
});

test("a quiet logger writes nothing, whichever logger is given", async () => {
  const { said, logger } = createLog();
  await registerWebMcp({ url: "/mcp", quiet: true, logger });
  expect(said).toEqual([]);
});

test("a callback that throws is logged, and has no other effect", async () => {
  fakeBrowser();
  const { said, logger } = createLog();
  const server = await startServer({ register: offering({ tools: () => ["good"] }) });
  const onSync = () => {
    throw new Error("mine");
  };
  const handle = await register({ url: server.url, logger, onSync });
  expect([handle.tools, said]).toEqual([["good"], [expect.stringMatching(/^error .*callback.*mine/)]]);
});
