import { createHash } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { connectAgent } from "../test-support/agent.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { callTool } from "../test-support/http.test-helper.ts";
import { byHand, connectPage, helloOf, offerOf, openChannels, openPage } from "../test-support/page.test-helper.ts";
import { openSocket, shop } from "../test-support/peer.test-helper.ts";

const strange = "https://strange.example";

test("H6: a page of an origin that is not allowed", async () => {
  const hub = await startHub();
  const page = await openPage(hub.url, { origin: strange });
  page.send(helloOf({}));
  page.send({ type: "offer" }, offerOf());
  const { frame } = await page.next("refused");
  expect(frame).toEqual({
    type: "refused",
    code: "origin-not-allowed",
    message: `Pages of ${strange} may not use this hub yet. Allow it with: npx pagewire allow ${strange}`,
    command: `npx pagewire allow ${strange}`,
  });
  expect(await page.closed).toEqual({ code: 4010, reason: "origin-not-allowed" });
  expect(await hub.metric("pagewire_tabs")).toBe(0);
  expect(hub.records).toContainEqual(
    expect.objectContaining({ event: "page-refused", origin: strange, command: `npx pagewire allow ${strange}` }),
  );
});

test("H6: a page with an opaque origin gets the reason, but no command that would not help", async () => {
  const hub = await startHub();
  for (const origin of [null, "null"]) {
    const page = await openPage(hub.url, { origin });
    const { frame } = await page.next("refused");
    expect(frame).toMatchObject({ code: "origin-not-allowed", message: expect.stringContaining("http or https") });
    expect(frame.command).toBeUndefined();
    expect(await page.closeName()).toBe("origin-not-allowed");
  }
});

test("H6: each channel of a disallowed origin gets the error", async () => {
  const hub = await startHub();
  const open = await openChannels(hub.url, strange);
  for (const page of [open(), open()]) {
    page.send(helloOf({}));
    expect((await page.next("refused")).frame.command).toBe(`npx pagewire allow ${strange}`);
    expect(await page.closeName()).toBe("origin-not-allowed");
  }
  expect(await hub.metric("pagewire_tabs")).toBe(0);
});

test("H7: a tab's id is an argument of commands, and does not begin with a hyphen", async () => {
  const hub = await startHub();
  const idOf = (tab: string) =>
    createHash("sha256")
      .update(JSON.stringify(["local", shop, tab]))
      .digest("base64url");
  let number = 0;
  while (!idOf(`tab-${number}`).startsWith("-")) number++;
  const tab = `tab-${number}`;
  const page = await connectPage(hub.url, { tab });
  expect(page.tabId).toBe(`0${idOf(tab).slice(1, 16)}`);
});

test("H7: a tab belongs to its origin: a page of another one with the same tab id is another tab", async () => {
  const hub = await startHub();
  hub.allow("https://other.example");
  const one = await connectPage(hub.url, { tab: "same", tools: ["one"] });
  const other = await connectPage(hub.url, { tab: "same", tools: ["other"], origin: "https://other.example" });
  await callTool(hub, "one");
  await callTool(hub, "other");
  expect([one.calls.length, other.calls.length]).toEqual([1, 1]);
  expect(await hub.metric("pagewire_tabs")).toBe(2);
});

test("H11: a page that was refused comes in once its origin is allowed", async () => {
  const hub = await startHub();
  const refused = await openPage(hub.url, { origin: strange });
  expect(await refused.closeName()).toBe("origin-not-allowed");
  hub.allow(strange);
  const page = await connectPage(hub.url, { origin: strange });
  await callTool(hub, "work");
  expect(page.calls).toHaveLength(1);
});

test("H11: the pages of an origin that is no longer allowed are closed, and no others", async () => {
  const hub = await startHub();
  hub.allow(strange);
  const stays = await connectPage(hub.url, { tab: "stays" });
  const goes = await connectPage(hub.url, { tab: "goes", origin: strange });
  const open = await openChannels(hub.url, strange);
  const first = await open({ tab: "first" }).greet();
  const second = await open({ tab: "second" }).greet();
  hub.disallow(strange);
  for (const page of [goes, first, second]) expect(await page.closeName()).toBe("token-expired");
  await stays.settled();
  expect(stays.link.open).toBe(true);
});

test("H42: a page's malformed frame closes its socket by name, and no other", async () => {
  const hub = await startHub();
  const good = await connectPage(hub.url, { tab: "good" });
  const inputSchema = { type: "object" };
  const offers = {
    "name-taken": [{ name: "call_tab_tool", inputSchema }],
    "name-invalid": [{ name: "no spaces please", inputSchema }],
    "schema-invalid": [{ name: "a", inputSchema: { type: "string" } }],
    "schema-too-large": [{ name: "a", inputSchema: { ...inputSchema, title: "x".repeat(70_000) } }],
    "offers-too-many": Array.from({ length: 257 }, (_, index) => ({ name: `tool-${index}`, inputSchema })),
    "frame-malformed": "none",
  };
  for (const [closeName, tools] of Object.entries(offers)) {
    const page = await openPage(hub.url);
    page.send(helloOf({ tab: "bad" }));
    await page.next("welcome");
    page.send({ type: "offer" }, JSON.stringify({ tools }));
    expect((await page.next("refused")).frame.code).toBe(closeName);
    expect(await page.closeName()).toBe(closeName);
  }
  for (const raw of [
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"type":7}',
    '{"type":"hello"}',
    '{"type":"ack","id":""}\n',
    "\n{}",
  ]) {
    const page = await connectPage(hub.url, { tab: "bad" });
    page.socket.send(raw);
    expect(await page.closeName(), raw).toBe("frame-malformed");
  }
  expect((await callTool(hub, "work", { headers: { "Pagewire-Tab": good.tabId } })).status).toBe(200);
});

test("H42: a page that does not begin with its hello, or speaks no version of the wire, is closed by name", async () => {
  const hub = await startHub();
  for (const [closeName, frame] of [
    ["hello-expected", { type: "offer" }],
    ["hello-expected", { type: "result", id: "1" }],
    ["version-unsupported", { ...helloOf({}), versions: [0, 99] }],
  ] as const) {
    const page = await openPage(hub.url);
    page.send(frame);
    expect(await page.closeName()).toBe(closeName);
  }
});

test("a page's frame of an unknown type is ignored and counted, also before its hello", async () => {
  const hub = await startHub();
  const page = await openPage(hub.url);
  page.send({ type: "from-the-future" });
  await page.greet();
  page.send({ type: "toString", id: "1" }, "whatever");
  await page.settled();
  expect((await callTool(hub, "work")).status).toBe(200);
  expect(await hub.metric("pagewire_unknown_frames_total")).toBe(2);
});

test("pages on channels of one socket are tabs of their own", async () => {
  const hub = await startHub();
  const open = await openChannels(hub.url);
  const pages = await Promise.all(
    ["a", "b", "c"].map((name) => open({ tab: name, app: name, tools: [`tool-${name}`] }).greet()),
  );
  const agent = await connectAgent(hub.url, { token: hub.token });
  await Promise.all(["a", "b", "c"].map((name) => agent.call(`tool-${name}`, { id: name })));
  expect(pages.map(({ calls }) => calls.map(({ name }) => name))).toEqual([["tool-a"], ["tool-b"], ["tool-c"]]);
  pages[0]?.link.close();
  await pages[1]?.settled();
  const end = await agent.call("tool-b", { id: "again" });
  expect(end.frame.type).toBe("result");
});

test("what is wrong with one channel closes that channel only", async () => {
  const hub = await startHub();
  const open = await openChannels(hub.url);
  const good = await open({ tab: "good" }).greet();
  for (const [closeName, spoil] of [
    ["frame-malformed", "no frame"],
    ["name-invalid", `{"type":"offer"}\n{"tools":[{"name":"?","inputSchema":{"type":"object"}}]}`],
  ] as const) {
    const bad = await open({ tab: "bad", tools: ["other"] }).greet();
    bad.link.send(spoil);
    expect(await bad.closeName()).toBe(closeName);
  }
  const early = open();
  early.send({ type: "offer" });
  expect(await early.closeName()).toBe("hello-expected");
  expect((await callTool(hub, "work")).status).toBe(200);
  expect(good.link.open).toBe(true);
});

test("a frame that is too large for a channel closes that channel only", async () => {
  const hub = await startHub({ limits: { frameBytes: 20_000 } });
  const open = await openChannels(hub.url);
  const good = await open({ tab: "good" }).greet();
  const bad = await open({ tab: "bad", tools: ["other"] }).greet();
  const header = '{"type":"log","id":"1","level":"info"}\n';
  bad.link.send(header.padEnd(20_000, "1"));
  await bad.settled();
  expect(bad.link.open).toBe(true);
  bad.link.send(header.padEnd(20_001, "1"));
  expect(await bad.closeName()).toBe("frame-too-large");
  expect((await callTool(hub, "work")).status).toBe(200);
  expect(good.link.open).toBe(true);
});

test("a page on a channel cannot answer for its neighbour", async () => {
  const hub = await startHub();
  const open = await openChannels(hub.url);
  const victim = await open({ tab: "victim", tools: ["theirs"], handle: byHand }).greet();
  const thief = await open({ tab: "thief", tools: ["mine"], handle: byHand }).greet();
  const answer = callTool(hub, "theirs");
  const call = await victim.nextCall();
  victim.ack(call.id);
  thief.result(call.id, '"stolen"');
  thief.send({ type: "failure", id: call.id, outcome: "rejected", ran: "no", code: "x", message: "stolen" });
  await thief.settled();
  victim.result(call.id, '"own"');
  expect(JSON.parse((await answer).text)).toMatchObject({ result: "own", outcome: "ok", ran: "yes" });
});

test("a second page in the same tab takes it over, also on another channel of the same socket", async () => {
  const hub = await startHub();
  const open = await openChannels(hub.url, shop);
  const first = await open({ tab: "same" }).greet();
  const second = await open({ tab: "same" }).greet();
  expect(await first.closeName()).toBe("tab-replaced");
  await callTool(hub, "work");
  expect([first.calls.length, second.calls.length]).toEqual([0, 1]);
});

test.each([1000, 1001, 4999])(
  "a socket of many pages that ends with %d was cut for each: what runs in them goes on, and its answer comes by another",
  async (code) => {
    const hub = await startHub();
    const page = await (await openChannels(hub.url))({ tab: "carried", handle: byHand }).greet();
    const answer = callTool(hub, "work");
    const { id } = await page.nextCall();
    page.ack(id);
    await page.settled();
    page.socket.close(code);
    await once(page.socket, "close");
    const again = (await openChannels(hub.url))({ tab: "carried", handle: byHand });
    again.send({ ...helloOf({ tab: "carried" }), running: [id] });
    await again.next("welcome");
    again.result(id, '"kept"');
    expect(JSON.parse((await answer).text)).toMatchObject({ result: "kept", outcome: "ok" });
  },
);

test("channels are agreed upon by name, whatever else a socket offers to speak, and nothing else is", async () => {
  const hub = await startHub();
  const headers = { Origin: shop };
  const both = await openSocket(`${hub.url}/page`, { protocols: ["other", "pagewire.channels.1"], headers });
  expect(both.socket.protocol).toBe("pagewire.channels.1");
  both.socket.send("o+1:");
  both.socket.send("m+1:no frame");
  const [answer] = (await once(both.socket, "message")) as [Buffer];
  expect(answer.toString()).toMatch(/^m-1:{"type":"refused","code":"frame-malformed"/);
  await expect(openSocket(`${hub.url}/page`, { protocols: ["other"], headers })).rejects.toThrow("no subprotocol");
});
