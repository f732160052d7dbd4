import { expect, test } from "vitest";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { askOnce } from "./test-support/mcp-asking.test-helper.ts";
import { connectClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage, toolOf } from "./test-support/mcp-page.test-helper.ts";
import type { McpPageOptions } from "./test-support/mcp-page.test-helper.ts";
import { modern, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

const ownTabId = { name: "work", inputSchema: { type: "object" as const, properties: { tabId: { type: "number" } } } };

test.each(revisions)(
  "M2: at a tab's address its tools have their own names, and arguments, to %s",
  async (revision) => {
    const hub = await startHub();
    const pages = [];
    for (const app of ["shop", "bank"]) {
      const page: McpPageOptions = { app, tab: app, offer: { tools: [ownTabId], prompts: [{ name: "greet" }] } };
      pages.push(
        await connectMcpPage(hub, {
          ...page,
          handle: (call) =>
            call.result(call.method === "prompts/get" ? { messages: [] } : { content: [{ type: "text", text: app }] }),
        }),
      );
    }
    const ofAll = await connectClient(hub, { revision });
    expect((await ofAll.listTools()).tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["bank__work", "shop__work"]),
    );
    for (const [index, text] of ["shop", "bank"].entries()) {
      const page = pages[index];
      const client = await connectClient(hub, { revision, tab: page?.tabId ?? "" });
      expect((await client.listTools()).tools).toEqual([
        { ...ownTabId, _meta: { "pagewire/origin": "https://shop.example" } },
      ]);
      expect((await client.listPrompts()).prompts).toEqual([{ name: "greet" }]);
      expect(await client.callTool({ name: "work", arguments: { tabId: 7 } })).toMatchObject({ content: [{ text }] });
      await client.getPrompt({ name: "greet" });
      expect(page?.calls.map(({ name, payload }) => [name, payload])).toEqual([
        ["work", { tabId: 7 }],
        ["greet", {}],
      ]);
      for (const name of ["list_browser_tabs", "list_tab_tools", "call_tab_tool"]) {
        const given = { name, arguments: { tabId: pages[1 - index]?.tabId, name: "work" } };
        for (const aside of [{}, { aside: 1 }]) {
          const { status, error } = await askOnce({ hub, revision, path: `/mcp/tabs/${page?.tabId}` }, "tools/call", {
            ...given,
            ...aside,
          });
          expect([status, error?.code], name).toEqual([200, -32602]);
        }
      }
    }
    expect(pages.map(({ calls }) => calls.length)).toEqual([2, 2]);
  },
);

test.each(revisions)("M2: a tab that does not exist, or not any more, is not there for %s", async (revision) => {
  const hub = await startHub({ limits: { graceTime: 10 } });
  const page = await connectMcpPage(hub, { handle: (call) => call.say("done") });
  const client = await connectClient(hub, { revision, tab: page.tabId });
  await client.callTool({ name: "work", arguments: {} });
  page.leave();
  for (let tabs = 1; tabs > 0;) tabs = await hub.metric("pagewire_tabs");
  for (const tab of [page.tabId, "nowhere", "", "a/b", "%2e%2e", "..", "x".repeat(129)]) {
    const { status } = await sendRaw(hub, { ...modern("tools/list", {}), path: `/mcp/tabs/${tab}` }).whole();
    expect(status, tab).toBe(404);
  }
  await expect(client.listTools()).rejects.toThrow();
  for (const method of ["GET", "DELETE"])
    expect((await sendRaw(hub, { method, path: `/mcp/tabs/${page.tabId}` }).whole()).status).toBe(404);
});

test("M2: a tab that came back has the same address, and the session at it goes on", async () => {
  const hub = await startHub();
  const first = await connectMcpPage(hub, { handle: (call) => call.say("first") });
  const clients = await Promise.all(revisions.map((revision) => connectClient(hub, { revision, tab: first.tabId })));
  first.socket.terminate();
  await first.closed;
  const second = await connectMcpPage(hub, { handle: (call) => call.say("second") });
  expect(second.tabId).toBe(first.tabId);
  for (const client of clients)
    expect(await client.callTool({ name: "work", arguments: {} })).toMatchObject({ content: [{ text: "second" }] });
});

const secret = "a-secret-of-at-least-32-characters";

test.each(revisions)("two principals with the same tools see and call each their own, in %s", async (revision) => {
  const hub = await startHub({ jwt: { secret }, limits: { changesTime: 5 } });
  const sides = [];
  for (const subject of ["alice", "brian"]) {
    const page = await connectMcpPage(hub, {
      token: await signPageToken({ secret, subject }),
      offer: { tools: [toolOf("work"), toolOf(`of-${subject}`)], resources: [{ uri: "note:///1", name: "one" }] },
      handle: (call) =>
        call.result(
          call.method === "tools/call"
            ? { content: [{ type: "text", text: subject }] }
            : { contents: [{ uri: "note:///1", text: subject }] },
        ),
    });
    const token = await signAgentToken({ secret, subject });
    sides.push({ subject, page, token, client: await connectClient(hub, { revision, token }) });
  }
  for (const [index, { subject, page, client, token }] of sides.entries()) {
    const other = sides[1 - index];
    const seen = [
      await client.listTools(),
      await client.callTool({ name: "work", arguments: {}, _meta: { "pagewire/idempotencyKey": "one-key" } }),
      await client.callTool({ name: "list_browser_tabs", arguments: {} }),
      await client.readResource({ uri: "note:///1" }),
      client.getInstructions(),
    ];
    expect(JSON.stringify(seen)).toContain(subject);
    expect(JSON.stringify(seen)).not.toContain(other?.subject);
    expect(JSON.stringify(seen)).not.toContain(other?.page.tabId);
    expect(page.calls).toHaveLength(2);
    const strange = { name: "call_tab_tool", arguments: { tabId: other?.page.tabId, name: "work" } };
    expect((await client.callTool(strange))._meta).toMatchObject({ "pagewire/code": "tab-not-found" });
    await expect(client.callTool({ name: `of-${other?.subject}`, arguments: {} })).rejects.toThrow("There is no tool");
    await expect(connectClient(hub, { revision, token, tab: other?.page.tabId ?? "" })).rejects.toThrow();
  }
});

test.each(revisions)("a client of %s gets no notifications about another principal", async (revision) => {
  const hub = await startHub({ jwt: { secret }, limits: { changesTime: 5 } });
  const heard: string[] = [];
  let hear = () => {};
  const pages = [];
  for (const subject of ["alice", "brian"]) {
    pages.push(
      await connectMcpPage(hub, {
        token: await signPageToken({ secret, subject }),
        offer: { resources: [{ uri: "note:///1", name: "one" }] },
      }),
    );
    const client = await connectClient(hub, { revision, token: await signAgentToken({ secret, subject }) });
    for (const list of ["tools", "prompts", "resources"] as const) {
      client.setNotificationHandler(`notifications/${list}/list_changed`, () => {
        heard.push(`${subject} ${list}`);
        hear();
      });
    }
    client.setNotificationHandler("notifications/resources/updated", () => {
      heard.push(`${subject} updated`);
      hear();
    });
    if (revision === "2025-11-25") await client.subscribeResource({ uri: "note:///1" });
    else
      await client.listen({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["note:///1"] });
  }
  const [ann, bob] = pages;
  ann?.updated("note:///1");
  await ann?.offer({ tools: [toolOf("new")], resources: [{ uri: "note:///1", name: "one" }] });
  while (heard.length < 2) await new Promise<void>((resolve) => (hear = resolve));
  await bob?.offer({ prompts: [{ name: "new" }], resources: [{ uri: "note:///1", name: "one" }] });
  while (heard.length < 3) await new Promise<void>((resolve) => (hear = resolve));
  expect(heard.toSorted()).toEqual(["alice tools", "alice updated", "brian prompts"]);
});
