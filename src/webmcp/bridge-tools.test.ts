import { expect, test } from "vitest";
import { startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { createLog, offering, register, syncSpy } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";
import type { McpTool } from "./web-mcp-options.ts";

test("filter and mapTool choose and change the tools for the browser; the server is called by its own name", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["read", "delete", "write"] }) });
  const onSync = syncSpy();
  const handle = await register({
    url: server.url,
    prefix: "my.",
    filter: ({ name }) => name !== "delete",
    mapTool: (tool) => ({ ...tool, name: `${tool.name}_it`, annotations: { readOnlyHint: tool.name === "read" } }),
    onSync,
  });
  expect(handle.tools).toEqual(["my.read_it", "my.write_it"]);
  expect(browser.tools.get("my.read_it")).toMatchObject({ annotations: { readOnlyHint: true } });
  expect(await browser.call("my.write_it", { a: 1 })).toMatchObject({ content: [{ text: 'write {"a":1}' }] });
  expect(onSync.mock.lastCall).toMatchObject([[{ name: "read_it" }, { name: "write_it" }]]);
});

test("what they do to the tool that they are given changes nothing for the next reading", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  const rename = (tool: McpTool) => Object.assign(tool, { name: `${tool.name}!`.replace("!", "_") });
  const handle = await register({ url: server.url, filter: (tool) => Boolean(rename(tool)), mapTool: rename });
  await handle.refresh();
  expect([handle.tools, browser.changes]).toEqual([["one_"], ["+one_"]]);
});

test("a schema from mapTool without a type gets the type object", async () => {
  const browser = fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  const untyped = { properties: { days: { type: "number" } } };
  await register({ url: server.url, mapTool: (tool) => ({ ...tool, inputSchema: untyped as never }) });
  expect(browser.tools.get("one")).toMatchObject({ inputSchema: { type: "object", ...untyped } });
});

const circular: Record<string, unknown> = { type: "object" };
circular["self"] = circular;

test.each([
  ["a circular schema", (tool: McpTool) => ({ ...tool, inputSchema: circular }), "circular"],
  ["a BigInt", (tool: McpTool) => ({ ...tool, inputSchema: { type: "object", maximum: 1n } }), "BigInt"],
  ["a schema that is text", (tool: McpTool) => ({ ...tool, inputSchema: "object" }), "inputSchema"],
  ["a schema of a list", (tool: McpTool) => ({ ...tool, inputSchema: { type: "array" } }), "inputSchema"],
  ["an output schema that is none", (tool: McpTool) => ({ ...tool, outputSchema: 5 }), "outputSchema"],
  ["a large schema", (tool: McpTool) => ({ ...tool, outputSchema: { title: "€".repeat(22_000) } }), "schemaBytes"],
  ["a name that is none", (tool: McpTool) => ({ ...tool, name: 7 }), "name"],
  ["nothing", () => undefined, "no tool"],
  ["an error", bad, "bad map"],
])("a tool of which mapTool makes %s is left out and told, and the others are there", async (_, mapTool, why) => {
  fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["wrong", "good"] }) });
  const { said, logger } = createLog();
  const handle = await register({
    url: server.url,
    prefix: "my.",
    logger,
    mapTool: (tool) => (tool.name === "wrong" ? (mapTool(tool) as McpTool) : tool),
  });
  expect(handle.tools).toEqual(["my.good"]);
  const message = expect.stringMatching(new RegExp(why, "i")) as string;
  expect(handle.refused).toEqual([{ name: "my.wrong", message }]);
  await handle.refresh();
  expect(said).toEqual([expect.stringMatching(/^warn .*"my\.wrong"/)]);
});

test("so is one whose filter throws", async () => {
  fakeBrowser();
  const server = await startServer({ register: offering({ tools: () => ["one"] }) });
  const handle = await register({ url: server.url, filter: bad });
  expect([handle.tools, handle.refused]).toEqual([[], [{ name: "one", message: "bad map" }]]);
});

function bad(): never {
  throw new Error("bad map");
}
