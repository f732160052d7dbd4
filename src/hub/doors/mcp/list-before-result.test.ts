// A call that changes the tools of its tab: its client's model is to know them in the request that has the call's result.
import type { Client } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Limits } from "../../../wire/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { ListReader } from "./list-reader.ts";
import { connectClient, revisions } from "./test-support/mcp-client.test-helper.ts";
import type { Revision } from "./test-support/mcp-client.test-helper.ts";
import type { McpPage } from "./test-support/mcp-page.test-helper.ts";
import { connectMcpPage, toolOf } from "./test-support/mcp-page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

/** A page whose every call makes the page offer one tool more. */
async function growingPage(limits: Partial<Limits>) {
  const hub = await startHub({ limits });
  const names = ["grow"];
  const page: McpPage = await connectMcpPage(hub, {
    offer: { tools: names.map(toolOf) },
    handle(call) {
      names.push(`new_${names.length}`);
      void page.offer({ tools: names.map(toolOf) });
      call.say("grown");
    },
  });
  return hub;
}

/** Far longer than a test: only what was not waited for can happen. */
const never = { changesTime: 600_000, listReadTime: 600_000 };

/** Has a client read its tools again after each change; returns the new ones that it has read, list by list. */
async function readsAgain(client: Client, revision: Revision): Promise<readonly string[]> {
  const lists: string[] = [];
  client.setNotificationHandler("notifications/tools/list_changed", async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    lists.push(names.filter((name) => name.startsWith("new")).join());
  });
  if (revision === "2026-07-28") await client.listen({ toolsListChanged: true });
  return lists;
}

test.each(revisions)(
  "M34: a client of %s has read what a call changed before it has the call's result",
  async (revision) => {
    const hub = await growingPage(never);
    const client = await connectClient(hub, { revision });
    const lists = await readsAgain(client, revision);
    await client.callTool({ name: "grow", arguments: {} });
    expect(lists).toEqual(["new_1"]);
  },
);

test("changes of many calls are announced no more often than other changes, and each is read before its result", async () => {
  const hub = await growingPage({ changesTime: 50, listReadTime: 600_000 });
  const client = await connectClient(hub, { revision: "2025-11-25" });
  const lists = await readsAgain(client, "2025-11-25");
  const began = performance.now();
  for (let count = 1; count <= 6; count++) {
    await client.callTool({ name: "grow", arguments: {} });
    expect(lists.at(-1)?.split(",")).toHaveLength(count);
  }
  expect(lists).toHaveLength(6);
  expect(performance.now() - began).toBeGreaterThan(5 * 50 - 5);
});

test("a client that gets no notifications has the result at once", async () => {
  const hub = await growingPage(never);
  const grow = { name: "grow", arguments: {} };
  const session = await openSession(hub);
  expect(await session.request("tools/call", grow).next()).toMatchObject({ result: { content: [{ text: "grown" }] } });
  expect(await sendRaw(hub, modern("tools/call", grow)).next()).toMatchObject({
    result: { content: [{ text: "grown" }] },
  });
});

test("a client that does not read a changed list makes one result wait, until it reads again", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  const reader = new ListReader({ announce: () => false }, { isListening: () => true, patience: 300 });
  expect(reader.isBehind("tab")).toBe(false);
  reader.changed();
  expect(reader.isBehind("tab")).toBe(true);
  reader.afterReading(() => sent.push("first"));
  vi.advanceTimersByTime(299);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual(["first"]);
  expect(reader.isBehind("tab")).toBe(false);
  reader.listed()();
  expect(reader.isBehind("tab")).toBe(false);
  reader.changed();
  expect(reader.isBehind("tab")).toBe(true);
});

test("a client has a moment to take in the list that it read", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  const reader = new ListReader({ announce: () => false }, { isListening: () => true, patience: 300 });
  const wait = (name: string, before: number) => {
    reader.changed();
    reader.afterReading(() => sent.push(name));
    vi.advanceTimersByTime(before);
    reader.listed()();
  };
  wait("first", 0);
  vi.advanceTimersByTime(49);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual(["first"]);
  // No later than its patience, which it has not lost by that.
  wait("second", 299);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual(["first", "second"]);
  reader.changed();
  expect(reader.isBehind("tab")).toBe(true);
});

test("a result that waited for a change of other lists costs the client nothing later", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reader = new ListReader({ announce: () => true }, { isListening: () => true, patience: 300 });
  reader.afterReading(() => {});
  vi.advanceTimersByTime(300);
  expect(reader.isBehind("tab")).toBe(true);
});

test("a list that was sent before a result began to wait does not let it go", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  const reader = new ListReader({ announce: () => true }, { isListening: () => true, patience: 600_000 });
  onTestFinished(() => reader.close());
  const early = reader.listed();
  reader.afterReading(() => sent.push("result"));
  early();
  vi.advanceTimersByTime(60_000);
  expect(sent).toEqual([]);
  reader.listed()();
  vi.advanceTimersByTime(50);
  expect(sent).toEqual(["result"]);
});
