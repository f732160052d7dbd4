// One tenant's page sends valid frames, and far too much of them.
import { encodeFrame } from "pagewire/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectAgent } from "../../../../src/hub/test-support/agent.test-helper.ts";
import { modern, sendRaw } from "../../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { callTool } from "../../../../src/hub/test-support/http.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../../../src/hub/test-support/page.test-helper.ts";
import type { TestPage, TestPageOptions } from "../../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../../src/hub/test-support/peer.test-helper.ts";
import { besiegeHub } from "../besieged-hub.test-helper.ts";
import type { BesiegedHub } from "../besieged-hub.test-helper.ts";
import { growthUnder, noteFlood } from "./flood.test-helper.ts";

let besieged: BesiegedHub;

beforeEach(async () => {
  besieged = await besiegeHub();
});

afterEach(async () => {
  closeSockets();
  await besieged.close();
});

const pageOf = async (person: string, options: TestPageOptions): Promise<TestPage> =>
  connectPage(besieged.hub.url, { token: await besieged.pageToken(person), ...options });

test("112,800 progress frames of one page hold up nobody, whether its callers read them or not", async () => {
  const page = await pageOf("mallory", { handle: byHand });
  const door = await besieged.door("mallory");
  const reader = await connectAgent(besieged.hub.url, door);
  const half = 56_400;
  const growth = await growthUnder(besieged, async () => {
    const end = reader.call("work", { id: "1" });
    const { id: read } = await page.nextCall();
    const meta = { progressToken: "token" };
    const deaf = sendRaw(door, modern("tools/call", { name: "work", arguments: { other: 1 } }, { meta }));
    const { id: unread } = await page.nextCall();
    for (const id of [read, unread]) page.ack(id);
    for (let progress = 1; progress <= half; progress++)
      for (const id of [read, unread]) page.send({ type: "progress", id, progress, message: "x".repeat(100) });
    await deaf.stall();
    for (const id of [read, unread]) page.result(id, plainResult);
    await page.settled();
    expect((await end).payload).toBe(plainResult);
    deaf.hangUp();
  });
  expect(reader.received.filter(({ frame }) => frame.type === "progress")).toHaveLength(half);
  noteFlood("progress frames of one page, half of them for a caller that reads nothing", 2 * half, growth);
});

test("440 offers of 0.8 MB of four tabs hold up nobody, and the last of each is what its tab offers", async () => {
  const [tabs, each] = [4, 110];
  const pages: TestPage[] = [];
  for (let tab = 0; tab < tabs; tab++) pages.push(await pageOf("mallory", { tab: `${tab}` }));
  const padding = "x".repeat(57_000);
  const tools = (prefix: string) =>
    Array.from({ length: 14 }, (_, at) => ({
      name: `${prefix}_${at}`,
      inputSchema: { type: "object", properties: {}, description: `${prefix} ${padding}` },
    }));
  const growth = await growthUnder(besieged, async () => {
    for (let round = 0; round < each; round++) {
      for (const [tab, page] of pages.entries())
        page.socket.send(encodeFrame({ type: "offer" }, JSON.stringify({ tools: tools(`tab_${tab}_${round}`) })));
      await Promise.all(pages.map((page) => page.settled()));
    }
  });
  const door = await besieged.door("mallory");
  const called = (round: number) =>
    Promise.all(pages.map(async (_, tab) => (await callTool(door, `tab_${tab}_${round}_13`)).status));
  expect(await called(each - 1)).toEqual([200, 200, 200, 200]);
  expect(await called(each - 2)).toEqual([404, 404, 404, 404]);
  noteFlood("offers of 0.8 MB of four tabs, each another one", tabs * each, growth);
});
