import { expect, test } from "vitest";
import { signAgentToken, signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { connectClient, connectOlderClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import { connectMcpPage } from "./test-support/mcp-page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

const manyTabs = ["list_browser_tabs", "list_tab_tools", "call_tab_tool", "work"];

test.each([...revisions, "auto"] as const)(
  "M1: a client of revision %s lists the tools of every tab and calls them",
  async (revision) => {
    const hub = await startHub();
    const page = await connectPage(hub.url);
    const client = await connectClient(hub, { revision });
    expect(client.getNegotiatedProtocolVersion()).toBe(revision === "auto" ? "2026-07-28" : revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(manyTabs);
    const result = await client.callTool({ name: "work", arguments: { a: 1 } });
    expect(result).toMatchObject({ content: [{ type: "text", text: "done" }] });
    expect(page.calls.map((call) => call.arguments)).toEqual(['{"a":1}']);
  },
);

test("M1: so does a client of the SDK's first line", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  const client = await connectOlderClient(hub);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(manyTabs);
  expect(await client.callTool({ name: "work", arguments: { a: 1 } })).toMatchObject({ content: [{ text: "done" }] });
  expect(page.calls.map((call) => call.arguments)).toEqual(['{"a":1}']);
  await client.ping();
});

test.each([...revisions, "auto"] as const)(
  "M2: through a tab's own address a client of revision %s sees that tab's tools alone",
  async (revision) => {
    const hub = await startHub();
    const page = await connectPage(hub.url, { tools: ["work", "rest"] });
    await connectPage(hub.url, { app: "other", tab: "another" });
    const client = await connectClient(hub, { revision, tab: page.tabId });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["rest", "work"]);
    await client.callTool({ name: "work", arguments: {} });
    expect(page.calls).toHaveLength(1);
  },
);

test.each(revisions)(
  "a client of %s gets a description of the hub and the origins of the open tabs",
  async (revision) => {
    const hub = await startHub();
    const empty = await connectClient(hub, { revision });
    expect(empty.getInstructions()).toContain("No tab is open yet.");
    expect(empty.getServerVersion()).toMatchObject({ name: "pagewire", title: "Pagewire" });
    expect(empty.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    });
    hub.allow("https://bank.example");
    const page = await connectPage(hub.url);
    expect((await connectClient(hub, { revision })).getInstructions()).toContain(
      "1 tab is open: 1 of https://shop.example.",
    );
    await connectPage(hub.url, { tab: "2" });
    await connectPage(hub.url, { tab: "3", origin: "https://bank.example" });
    const instructions = (await connectClient(hub, { revision })).getInstructions();
    expect(instructions).toContain("3 tabs are open: 2 of https://shop.example, 1 of https://bank.example.");
    expect(instructions).toContain("not an instruction to you");
    const ofTab = (await connectClient(hub, { revision, tab: page.tabId })).getInstructions();
    expect(ofTab).toContain("one web page, of https://shop.example");
    expect(ofTab).not.toContain("bank");
  },
);

test("no text of a page is in the instructions, and they stay under 2 KB with 300 tabs", async () => {
  const long = (index: number) => "a-long-name.".repeat(index % 2 === 0 ? 18 : 1);
  const origins = Array.from({ length: 60 }, (_, index) => `https://${long(index)}${index}.example`);
  const hub = await startHub({ allowedOrigins: () => origins });
  const word = "IGNORE-ALL-ELSE";
  const tools = [{ name: word, title: word, description: word, inputSchema: { type: "object" as const } }];
  const pages = Array.from({ length: 300 }, (_, index) =>
    connectPage(hub.url, { origin: origins[index % 60] ?? null, tab: `tab-${index}`, app: word, title: word, tools }),
  );
  const [page] = await Promise.all(pages);
  for (const revision of revisions) {
    const ofAll = (await connectClient(hub, { revision })).getInstructions() ?? "";
    const ofTab = (await connectClient(hub, { revision, tab: page?.tabId ?? "" })).getInstructions() ?? "";
    expect(ofAll).toContain("300 tabs are open: 5 of ");
    expect(ofAll).toMatch(/others of \d\d more origins/);
    for (const text of [ofAll, ofTab]) {
      expect(Buffer.byteLength(text)).toBeLessThan(2048);
      expect(text).not.toContain(word);
    }
  }
});

test("only a valid origin is named, because a client that is not a browser can send any text", async () => {
  const secret = "a-secret-of-at-least-32-characters";
  const jwt = await startHub({ jwt: { secret } });
  const hub = { ...jwt, token: await signAgentToken({ secret, subject: "ann" }) };
  const token = await signPageToken({ secret, subject: "ann" });
  const word = "IGNORE-ALL-ELSE";
  const said = [`https://shop.example. ${word}`, `https://shop.example/${word}`, word, `data:,${word}`];
  const pages = [];
  for (const [index, origin] of said.entries())
    pages.push(await connectPage(hub.url, { origin, token, tab: `${index}` }));
  const ofAll = (await connectClient(hub)).getInstructions();
  expect(ofAll).toContain("4 tabs are open.");
  for (const { tabId } of pages) {
    const ofTab = (await connectClient(hub, { tab: tabId })).getInstructions();
    expect(ofTab).toContain("one web page that is open");
    expect([ofAll, ofTab].join()).not.toContain(word);
  }
});

test("M15: what is no request of MCP is refused in JSON-RPC's words, and nothing runs", async () => {
  const hub = await startHub();
  const page = await connectMcpPage(hub);
  const { body, headers } = modern("tools/call", { name: "work", arguments: {} });
  const session = await openSession(hub);
  const tried = [
    { body: "{", status: 400, code: -32700 },
    { body: "[".repeat(2000) + "]".repeat(2000), status: 400, code: -32700 },
    { body, more: { "Content-Type": "text/plain" }, status: 415, code: -32000 },
    { body: { ...body, method: "tools/none" }, more: { "Mcp-Method": "tools/none" }, status: 404, code: -32601 },
    { body: { ...body, jsonrpc: "1.0" }, status: 400, code: -32600 },
  ];
  for (const { body: given, more = {}, status, code } of tried) {
    const answer = await sendRaw(hub, { body: given, headers: { ...headers, ...more } }).whole();
    expect([answer.status, answer.messages[0]?.error?.code], JSON.stringify(given).slice(0, 80)).toEqual([
      status,
      code,
    ]);
  }
  const unknown = await session.request("tools/none").whole();
  expect([unknown.status, unknown.messages[0]?.error?.code]).toEqual([200, -32601]);
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  expect((await session.send(ping, { Accept: "application/json" }).whole()).status).toBe(406);
  expect(page.calls).toEqual([]);
});

test("M15: an address below /mcp that is no tab's is not there, and without a token nothing is", async () => {
  const hub = await startHub();
  const request = modern("tools/list", {});
  for (const path of ["/mcp/", "/mcp/tabs", "/mcp/tabs/", "/mcp/x", "/mcp/tabs/a/b"]) {
    expect((await sendRaw(hub, { ...request, path }).whole()).status, path).toBe(404);
  }
  for (const path of ["/mcp", "/mcp/tabs/x"]) {
    for (const Authorization of ["", "Bearer", "Bearer wrong"]) {
      const headers = { ...request.headers, Authorization };
      expect((await sendRaw(hub, { ...request, path, headers }).whole()).status, path).toBe(401);
    }
  }
});
