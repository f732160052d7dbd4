import { expect, test } from "vitest";
import { terminalOnly } from "../../wire/index.ts";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { startWith } from "../doors/core/core.test-helper.ts";
import { inputSchema, namesIn, sayAlways } from "../doors/core/model.test-helper.ts";
import { connectClient, revisions } from "../doors/mcp/test-support/mcp-client.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";

const hidden = { name: "fetch", inputSchema, _meta: terminalOnly };
const tools = ["work", hidden];

test.each(revisions)("an MCP client of %s is shown no tool for terminals only, and can call none", async (revision) => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { tools });
  const aim = { tabId: page.tabId, name: "fetch", arguments: {} };
  for (const tab of [undefined, page.tabId]) {
    const client = await connectClient(hub, { revision, ...(tab === undefined ? {} : { tab }) });
    const listed = (await client.listTools()).tools.map(({ name }) => name);
    expect(listed.filter((name) => !name.includes("tab"))).toEqual(["work"]);
    await expect(client.callTool({ name: "fetch", arguments: {} })).rejects.toThrow();
    if (tab !== undefined) continue;
    for (const name of ["list_tab_tools", "list_browser_tabs"]) {
      const said = JSON.stringify(await client.callTool({ name, arguments: {} }));
      expect([said.includes("work"), said.includes("fetch")]).toEqual([true, false]);
    }
    await expect(client.callTool({ name: "call_tab_tool", arguments: aim })).rejects.toThrow('no tool "fetch"');
  }
  await page.settled();
  expect(page.calls).toEqual([]);
});

/** Everything that an agent's socket can list. */
async function seenByAgent(hub: TestHub, tab: string): Promise<string> {
  const agent = await connectAgent(hub.url, { token: hub.token });
  agent.send({ type: "list", id: "1", what: "tabs" });
  agent.send({ type: "list", id: "2", what: "offer" });
  agent.send({ type: "list", id: "3", what: "offer", tab });
  await agent.settled();
  const lists = agent.received.filter(({ frame }) => frame.type === "listing");
  expect(lists).toHaveLength(3);
  return lists.map(({ payload }) => payload).join();
}

test("nor is an agent by a socket or by HTTP", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { tools });
  const seen = await seenByAgent(hub, page.tabId);
  expect([seen.includes("work"), seen.includes("fetch")]).toEqual([true, false]);
  for (const headers of [{}, { "Pagewire-Tab": page.tabId }]) {
    const { status, text } = await callTool(hub, "fetch", { headers: headers as Record<string, string> });
    expect([status, JSON.parse(text)]).toMatchObject([404, { error: { code: "tool-not-found" } }]);
  }
  expect(page.calls).toEqual([]);
});

test("nor is a model at the hub, whether a page or a program asks for the tools of pages", async () => {
  const model = sayAlways("Hi.");
  const { hub, client } = await startWith(model);
  await connectPage(hub.url, { tools });
  await client.run("send", "x", { tools: "page" });
  expect(namesIn(model.requests.at(-1))).toEqual(["work"]);
  await expect(client.run("send", "x", { tools: [{ name: "fetch" }] })).rejects.toMatchObject({
    code: "option-refused",
  });
});
