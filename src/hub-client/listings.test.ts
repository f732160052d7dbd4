import { beforeEach, expect, test } from "vitest";
import { cutOff } from "../wire/index.ts";
import type { CallEvent, Offer, TabInfo } from "../wire/index.ts";
import { createScriptedHub, failureOf } from "./scripted-hub.test-helper.ts";
import type { HeardFrame, ScriptedHub } from "./scripted-hub.test-helper.ts";

let hub: ScriptedHub;

beforeEach(() => {
  hub = createScriptedHub();
});

async function asked(): Promise<HeardFrame<"list">> {
  await hub.clock.advance(0);
  const frame = hub.end.heard("list").at(-1);
  if (frame === undefined) throw new Error("Nothing was asked.");
  return frame;
}

async function list(payload: unknown): Promise<void> {
  await hub.end.say({ type: "listing", id: (await asked()).id }, JSON.stringify(payload));
}

const tab: TabInfo = {
  tabId: "t1",
  app: "shop",
  origin: "https://shop.example",
  title: "Cart",
  url: "https://shop.example/cart",
  isActive: true,
  state: "connected",
  tools: ["add"],
  lastSeen: "2026-01-01T00:00:00.000Z",
};
const offer: Offer = {
  tools: [{ name: "add", inputSchema: { type: "object" } }],
  resources: [{ uri: "file:///a", name: "a" }],
  resourceTemplates: [{ uriTemplate: "file:///{name}", name: "files" }],
  prompts: [{ name: "greet" }],
};

test("tabs and offers are those of the hub's list", async () => {
  const client = await hub.connect();
  const tabs = client.tabs();
  expect(await asked()).toMatchObject({ what: "tabs" });
  await list([tab]);
  expect(await tabs).toEqual([tab]);
  const whole = client.offer();
  expect(await asked()).not.toHaveProperty("tab");
  await list(offer);
  expect(await whole).toEqual(offer);
  const ofTab = client.offer("t1");
  expect(await asked()).toMatchObject({ what: "offer", tab: "t1" });
  await list(offer);
  expect(await ofTab).toEqual(offer);
  expect(hub.clock.pending).toBe(1);
});

test("tabs are requested a page at a time, the same page again after a lost connection", async () => {
  const client = await hub.connect();
  const tabs = client.tabs({ search: "cart" });
  const first = await asked();
  expect(first).toMatchObject({ size: 500, search: "cart" });
  await hub.end.say({ type: "listing", id: first.id, nextCursor: "500.1" }, JSON.stringify([tab]));
  expect(await asked()).toMatchObject({ size: 500, cursor: "500.1", search: "cart" });
  await hub.end.close(cutOff);
  await hub.takeBack();
  expect(await asked()).toMatchObject({ cursor: "500.1" });
  await list([{ ...tab, tabId: "t2" }]);
  expect((await tabs).map(({ tabId }) => tabId)).toEqual(["t1", "t2"]);
});

test("an error of a hub's list has the hub's message", async () => {
  const client = await hub.connect();
  const failure = failureOf(client.offer("t9"));
  const { id } = await asked();
  await hub.end.say({ type: "listing", id, code: "tab-not-found", message: "There is no tab t9. Open tabs: t1." });
  const error = await failure;
  expect([error.code, error.message]).toEqual(["tab-not-found", "There is no tab t9. Open tabs: t1."]);
  expect((await failureOf(client.offer("no tab"))).code).toBe("tab-not-found");
});

test("a request is repeated after a lost connection, and times out without an answer", async () => {
  const client = await hub.connect();
  const tabs = client.tabs();
  await asked();
  await hub.end.close(cutOff);
  await hub.takeBack();
  await list([]);
  expect(await tabs).toEqual([]);
  const failure = failureOf(client.tabs());
  await hub.clock.advance(10_000);
  expect((await failure).message).toContain("pagewire doctor");
});

test.each<[string, unknown]>([
  ["tabs", {}],
  ["tabs", [{ ...tab, state: "lost" }]],
  ["tabs", [{ ...tab, tools: [7] }]],
  ["tabs", [null]],
  ["offer", []],
  ["offer", { ...offer, tools: [{ name: "add" }] }],
  ["offer", { ...offer, prompts: undefined }],
  ["offer", { ...offer, resources: [{ uri: "a" }] }],
  ["offer", { ...offer, resourceTemplates: [{ name: "a" }] }],
])("a list of %s that is none (case %#) is refused, and the connection made anew", async (...[what, payload]) => {
  const client = await hub.connect();
  const failure = failureOf(what === "tabs" ? client.tabs() : client.offer());
  await list(payload);
  expect((await failure).code).toBe("frame-malformed");
  expect(hub.end.closing?.code).toBe(4000);
  await hub.takeBack();
  expect(client.state.status).toBe("connected");
});

test("a change is reported when the hub sends one, and after a lost connection", async () => {
  const client = await hub.connect();
  let count = 0;
  const stop = client.onChange(() => count++);
  await hub.end.say({ type: "changed" });
  expect(count).toBe(1);
  await hub.end.close(cutOff);
  await hub.takeBack();
  expect(count).toBe(2);
  stop();
  await hub.end.say({ type: "changed" });
  expect(count).toBe(2);
});

const event: CallEvent = {
  event: "ended",
  id: "c1",
  method: "tools/call",
  name: "add",
  agent: "tester",
  tabId: "t1",
  app: "shop",
  outcome: "ok",
  milliseconds: 12,
};

test("calls are watched from the first listener to the last, also over a lost connection", async () => {
  const client = await hub.connect();
  const heard: CallEvent[] = [];
  const stop = client.watch((each) => heard.push(each));
  const stopOther = client.watch(() => {});
  await hub.end.say({ type: "watched" }, JSON.stringify(event));
  expect(heard).toEqual([event]);
  await hub.end.close(cutOff);
  await hub.takeBack();
  stop();
  expect(hub.ends.map((end) => end.heard("watch").map(({ on }) => on))).toEqual([[true], [true]]);
  stopOther();
  stopOther();
  await hub.clock.advance(0);
  expect(hub.end.heard("watch").map(({ on }) => on)).toEqual([true, false]);
  await hub.end.say({ type: "watched" }, JSON.stringify(event));
  expect(heard).toHaveLength(1);
});

test("events come in messages of several frames, and watchers get the number of missed ones", async () => {
  const client = await hub.connect();
  const heard: unknown[] = [];
  const stop = client.watch(
    ({ id }) => heard.push(id),
    (count) => heard.push(count),
  );
  await hub.clock.advance(0);
  expect(hub.end.heard("watch")).toMatchObject([{ on: true, batches: true }]);
  const frameOf = (id: string) => `{"type":"watched"}\n${JSON.stringify({ ...event, id })}`;
  await hub.end.sayRaw(`\x1e${frameOf("a")}\x1e{"type":"missed","count":7}\x1e${frameOf("b")}`);
  expect(heard).toEqual(["a", 7, "b"]);
  stop();
  await hub.end.sayRaw(`\x1e${frameOf("c")}\x1e{"type":"missed","count":7}`);
  expect(heard).toHaveLength(3);
});

test("a message of more than 256 frames closes the connection, which is made again", async () => {
  const client = await hub.connect();
  await hub.end.sayRaw('\x1e{"type":"heartbeat"}'.repeat(257));
  expect(hub.end.closing?.code).toBe(4000);
  expect(client.state.status).toBe("reconnecting");
});

test.each([
  { ...event, event: "begun" },
  { ...event, name: 7 },
  { ...event, outcome: "fine" },
  { ...event, app: 1 },
  [],
])("a moment of a call that is none (case %#) is refused, and the connection made anew", async (wrong) => {
  const client = await hub.connect();
  client.watch(() => {});
  await hub.end.say({ type: "watched" }, JSON.stringify(wrong));
  expect(hub.end.closing?.code).toBe(4000);
  expect(client.state.status).toBe("reconnecting");
});
