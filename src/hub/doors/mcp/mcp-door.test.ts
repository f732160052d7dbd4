import { expect, test } from "vitest";
import { startHub } from "../../hub.test-helper.ts";
import { connectPage } from "../../page.test-helper.ts";
import { connectClient } from "./mcp-client.test-helper.ts";

const revisions = ["2025-11-25", "2026-07-28", "auto"] as const;

test.each(revisions)("M1: a client of revision %s lists the tools of every tab and calls them", async (revision) => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const client = await connectClient(hub, { revision });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["list_browser_tabs", "list_tab_tools", "call_tab_tool", "work"]);
  const result = await client.callTool({ name: "work", arguments: { a: 1 } });
  expect(result).toMatchObject({ content: [{ type: "text", text: "done" }] });
  expect(page.calls.map((call) => call.arguments)).toEqual(['{"a":1}']);
});

test.each(revisions)(
  "M2: through a tab's own address a client of revision %s sees that tab's tools alone",
  async (revision) => {
    const hub = await startHub();
    const page = await connectPage(hub.url, { tools: ["work", "rest"] });
    await connectPage(hub.url, { app: "other", tab: "another" });
    const client = await connectClient(hub, { revision, tab: page.tabId });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["work", "rest"]);
    await client.callTool({ name: "work", arguments: {} });
    expect(page.calls).toHaveLength(1);
  },
);
