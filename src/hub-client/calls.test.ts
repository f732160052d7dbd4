import { beforeEach, expect, test, vi } from "vitest";
import { cutOff } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import type { HubOutcome } from "./hub-client.ts";
import { createScriptedHub } from "./scripted-hub.test-helper.ts";
import type { HeardFrame, ScriptedHub } from "./scripted-hub.test-helper.ts";

let hub: ScriptedHub;

beforeEach(() => {
  hub = createScriptedHub();
});

const done = '{"content":[{"type":"text","text":"done"}]}';
const result = { content: [{ type: "text", text: "done" }] };

/** The frames of all calls on the current link. */
async function sent(): Promise<readonly HeardFrame<"call">[]> {
  await hub.clock.advance(0);
  return hub.end.heard("call");
}

async function lastSent(): Promise<HeardFrame<"call">> {
  const frame = (await sent()).at(-1);
  if (frame === undefined) throw new Error("No call was sent.");
  return frame;
}

async function answer(payload = done): Promise<void> {
  await hub.end.say({ type: "result", id: (await lastSent()).id }, payload);
}

async function refuse(code: string, outcome: HubOutcome["outcome"] = "rejected"): Promise<void> {
  const { id } = await lastSent();
  await hub.end.say({ type: "failure", id, outcome, ran: "no", code, message: "Said the hub." });
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  await hub.clock.advance(0);
  return (await Promise.race([promise, Promise.resolve("pending")])) === "pending";
}

test("a call is sent as it was made and returns the page's answer and its tab", async () => {
  const client = await hub.connect();
  const outcome = client.call({ name: "add", arguments: { a: 1, text: "one\ntwo" }, tab: "t1", timeout: 5000 });
  const { id, payload, ...frame } = await lastSent();
  expect(frame).toEqual({ type: "call", method: "tools/call", name: "add", tab: "t1", left: 5000 });
  expect(JSON.parse(payload)).toEqual({ a: 1, text: "one\ntwo" });
  await hub.end.say({ type: "ack", id, tab: "t1" });
  await answer();
  expect(await outcome).toEqual({ outcome: "ok", ran: "yes", result, tabId: "t1" });
  expect(hub.clock.pending).toBe(1);
});

test("omitted options have their defaults, and resources and prompts are used the same way", async () => {
  const client = await hub.connect();
  void client.call({ name: "file:///a", method: "resources/read" });
  expect(await lastSent()).toMatchObject({ method: "resources/read", left: 60_000, payload: "{}" });
  void client.call({ name: "slow", timeout: 3_600_000 });
  expect(await lastSent()).toMatchObject({ left: 900_000 });
});

test("every way in which a call can end is reported unchanged", async () => {
  const client = await hub.connect();
  const failing = client.call({ name: "t" });
  await hub.end.say({ type: "result", id: (await lastSent()).id, isError: true, replay: true, notSaved: true }, done);
  expect(await failing).toEqual({ outcome: "tool-error", ran: "yes", result, replay: true, notSaved: true });
  for (const outcome of ["rejected", "not-delivered", "page-suspended", "expired", "outcome-unknown"] as const) {
    const ended = client.call({ name: "t" });
    const words = { outcome, ran: "no", code: "calls-too-many", message: "Why.", retryAfter: 7 } as const;
    await hub.end.say({ type: "failure", id: (await lastSent()).id, ...words });
    expect(await ended).toEqual(words);
  }
  const newer = client.call({ name: "t" });
  await refuse("a-code-of-the-future");
  expect(await newer).toMatchObject({ outcome: "rejected", code: "internal-error", message: "Said the hub." });
});

test("many parallel calls, also of the same tool, each get their own outcome, in any order", async () => {
  const client = await hub.connect();
  const outcomes = Array.from({ length: 50 }, (_, number) => client.call({ name: "t", arguments: { number } }));
  const frames = await sent();
  expect(new Set(frames.map(({ id }) => id)).size).toBe(50);
  for (const { id, payload } of frames.toReversed()) await hub.end.say({ type: "result", id }, payload);
  expect((await Promise.all(outcomes)).map((outcome) => outcome.result)).toEqual(
    Array.from({ length: 50 }, (_, number) => ({ number })),
  );
});

test("acks, progress and logs reach their own call", async () => {
  const client = await hub.connect();
  const heard: unknown[] = [];
  const note = (what: string) => (value: unknown) => heard.push([what, value]);
  const outcome = client.call({ name: "t", onAck: note("ack"), onProgress: note("progress"), onLog: note("log") });
  const other = client.call({ name: "t" });
  const [{ id } = { id: "" }] = await sent();
  await hub.end.say({ type: "ack", id, tab: "t1" });
  await hub.end.say({ type: "progress", id, progress: 1 });
  await hub.end.say({ type: "progress", id, progress: 2, total: 4, message: "half" });
  await hub.end.say({ type: "log", id, level: "info", logger: "app" }, '{"n":1}');
  await hub.end.say({ type: "log", id, level: "error" }, "not JSON");
  await answer();
  expect(heard).toEqual([
    ["ack", "t1"],
    ["progress", { progress: 1 }],
    ["progress", { progress: 2, total: 4, message: "half" }],
    ["log", { level: "info", data: { n: 1 }, logger: "app" }],
    ["log", { level: "error", data: null }],
  ]);
  expect((await other).outcome).toBe("ok");
  expect(await isPending(outcome)).toBe(true);
});

test("a call's listener that throws is reported and does not affect the call", async () => {
  const onError = vi.fn<() => void>();
  const client = await hub.connect({ onError });
  const outcome = client.call({
    name: "t",
    onAck() {
      throw new Error("listener");
    },
  });
  await hub.end.say({ type: "ack", id: (await lastSent()).id, tab: "t1" });
  await answer();
  expect((await outcome).outcome).toBe("ok");
  expect(onError).toHaveBeenCalledOnce();
});

test("a call is cancelled in the page, with the reason, and ends as the hub reports", async () => {
  const client = await hub.connect();
  const aborter = new AbortController();
  const outcome = client.call({ name: "t", signal: aborter.signal });
  aborter.abort(new Error("Changed my mind."));
  await hub.clock.advance(0);
  const [cancel] = hub.end.heard("cancel");
  expect(cancel).toMatchObject({ id: (await lastSent()).id, reason: "Changed my mind." });
  expect(await isPending(outcome)).toBe(true);
  const words = { outcome: "cancelled", ran: "maybe", code: "cancelled", message: "Changed my mind." } as const;
  await hub.end.say({ type: "failure", id: (await lastSent()).id, ...words });
  expect(await outcome).toEqual(words);
});

test("an answer that was faster than the cancel counts, and a silent hub is not waited for", async () => {
  const client = await hub.connect();
  const aborter = new AbortController();
  const fast = client.call({ name: "t", signal: aborter.signal });
  const { id } = await lastSent();
  const silent = client.call({ name: "t", signal: aborter.signal });
  aborter.abort();
  await hub.end.say({ type: "result", id }, done);
  expect((await fast).outcome).toBe("ok");
  await hub.clock.advance(2999);
  expect(await isPending(silent)).toBe(true);
  await hub.clock.advance(1);
  expect(await silent).toMatchObject({ outcome: "cancelled", ran: "maybe" });
});

test("aborting an ended call does nothing", async () => {
  const client = await hub.connect();
  const aborter = new AbortController();
  const outcome = client.call({ name: "t", signal: aborter.signal });
  await answer();
  aborter.abort();
  await hub.clock.advance(0);
  expect([(await outcome).outcome, hub.end.heard("cancel").length, hub.clock.pending]).toEqual(["ok", 0, 1]);
});

test("a call that is cancelled before it is made is not sent", async () => {
  const client = await hub.connect();
  const outcome = await client.call({ name: "t", signal: AbortSignal.abort() });
  expect([outcome.outcome, outcome.ran, (await sent()).length]).toEqual(["cancelled", "no", 0]);
});

test("a call past its deadline ends as the hub reports, or a little later without the hub", async () => {
  const client = await hub.connect();
  const outcome = client.call({ name: "t", timeout: 1000 });
  await hub.clock.advance(3999);
  expect(await isPending(outcome)).toBe(true);
  await hub.clock.advance(1);
  expect(await outcome).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
});

test("a call without a key ends with its connection, with a true outcome, and is not sent again", async () => {
  const client = await hub.connect();
  const outcome = client.call({ name: "t" });
  await hub.end.close(cutOff);
  expect(await outcome).toMatchObject({ outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown" });
  const without = await client.call({ name: "t" });
  expect([without.outcome, without.ran]).toEqual(["not-delivered", "no"]);
  await hub.takeBack();
  expect(await sent()).toEqual([]);
});

test("a call with a key is sent again with the same key, to the tab that took it, with the remaining time", async () => {
  const client = await hub.connect();
  const acked = client.call({ name: "t", key: "k1", arguments: { a: 1 }, timeout: 20_000 });
  await hub.end.say({ type: "ack", id: (await lastSent()).id, tab: "t7" });
  const fresh = client.call({ name: "t", key: "k2", timeout: 20_000 });
  await hub.clock.advance(2000);
  await hub.end.close(cutOff);
  const late = client.call({ name: "t", key: "k3" });
  await hub.takeBack();
  const frames = await sent();
  expect(frames.map(({ key, tab }) => [key, tab])).toEqual([
    ["k1", "t7"],
    ["k2", undefined],
    ["k3", undefined],
  ]);
  expect(frames[0]?.payload).toBe('{"a":1}');
  expect(frames[0]?.left).toBe(17_500);
  for (const { id } of frames) await hub.end.say({ type: "result", id, replay: true }, done);
  expect(await acked).toEqual({ outcome: "ok", ran: "yes", result, replay: true, tabId: "t7" });
  expect((await Promise.all([fresh, late])).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
});

test("a key of another call is a conflict, at once and after a lost connection", async () => {
  const client = await hub.connect();
  const first = client.call({ name: "t", key: "k", tab: "t1" });
  await refuse("key-conflict");
  expect(await first).toMatchObject({ outcome: "rejected", code: "key-conflict" });
  const second = client.call({ name: "t", key: "k", tab: "t1" });
  await hub.end.close(cutOff);
  await hub.takeBack();
  await refuse("key-conflict");
  expect(await second).toMatchObject({ outcome: "rejected", code: "key-conflict" });
});

test("a restarted hub is asked again whenever its tabs change, until the call's tab is back", async () => {
  const client = await hub.connect();
  const outcome = client.call({ name: "t", key: "k" });
  await hub.end.close(cutOff);
  await hub.takeBack();
  for (const code of ["tool-not-found", "tab-not-found", "tab-gone", "offer-not-found", "going-away"]) {
    await refuse(code);
    expect(await isPending(outcome)).toBe(true);
    const { length } = await sent();
    await hub.end.say({ type: "changed" });
    expect(await sent()).toHaveLength(length + 1);
  }
  await hub.end.say({ type: "changed" });
  expect(await sent()).toHaveLength(6);
  await answer();
  expect((await outcome).outcome).toBe("ok");
});

test("a call whose tab does not come back in time may have run", async () => {
  const client = await hub.connect();
  const outcome = client.call({ name: "t", key: "k", timeout: 5000 });
  await hub.end.close(cutOff);
  await hub.takeBack();
  await refuse("tool-not-found");
  await hub.clock.advance(5000);
  expect(await outcome).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
  const unsent = client.call({ name: "t", key: "k2", timeout: 300 });
  await refuse("tool-not-found");
  expect(await unsent).toMatchObject({ outcome: "rejected", ran: "no", code: "tool-not-found" });
});

test("a hub's refusal of the second request does not hide that the first may have run", async () => {
  const client = await hub.connect();
  for (const [code, outcome] of [
    ["calls-too-many", "rejected"],
    ["not-delivered", "not-delivered"],
    ["tab-gone", "page-gone"],
  ] as const) {
    const call = client.call({ name: "t", key: code });
    await hub.end.close(cutOff);
    await hub.takeBack();
    await refuse(code, outcome);
    expect(await call).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  }
  const invalid = client.call({ name: "t", key: "invalid" });
  await hub.end.close(cutOff);
  await hub.takeBack();
  await refuse("input-invalid");
  expect(await invalid).toMatchObject({ outcome: "rejected", ran: "no", code: "input-invalid" });
});

test("a call that waits for its hub can be cancelled, times out, and is not sent then", async () => {
  const client = await hub.connect();
  const aborter = new AbortController();
  const begun = client.call({ name: "t", key: "k1", signal: aborter.signal });
  await hub.end.close(cutOff);
  const unsent = client.call({ name: "t", key: "k2", signal: aborter.signal });
  const late = client.call({ name: "t", key: "k3", timeout: 300 });
  aborter.abort();
  expect(await begun).toMatchObject({ outcome: "cancelled", ran: "maybe" });
  expect(await unsent).toMatchObject({ outcome: "cancelled", ran: "no" });
  await hub.clock.advance(300);
  expect(await late).toMatchObject({ outcome: "deadline-exceeded", ran: "no" });
  await hub.takeBack();
  expect(await sent()).toEqual([]);
});

test("a call that was being cancelled is not sent again", async () => {
  const client = await hub.connect();
  const aborter = new AbortController();
  const outcome = client.call({ name: "t", key: "k", signal: aborter.signal });
  aborter.abort();
  await hub.end.close(cutOff);
  expect(await outcome).toMatchObject({ outcome: "cancelled", ran: "maybe" });
  await hub.takeBack();
  expect(await sent()).toEqual([]);
});

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

test.each([
  [{ key: "two words" }, "options-invalid"],
  [{ key: "" }, "options-invalid"],
  [{ tab: "no tab" }, "tab-not-found"],
  [{ name: "x".repeat(3000) }, "tool-not-found"],
  [{ timeout: 0 }, "options-invalid"],
  [{ timeout: Number.NaN }, "options-invalid"],
  [{ arguments: cyclic as JsonObject }, "arguments-malformed"],
  [{ arguments: (() => {}) as unknown as JsonObject }, "arguments-malformed"],
  [{ arguments: { text: "é".repeat(9_000_000) } }, "frame-too-large"],
])("a call that could not be sent is rejected (case %#), and the connection lives on", async (wrong, code) => {
  const client = await hub.connect();
  const outcome = await client.call({ name: "t", ...wrong });
  expect(outcome).toMatchObject({ outcome: "rejected", ran: "no", code });
  expect([(await sent()).length, client.state.status]).toEqual([0, "connected"]);
});

test.each(['{"content":', "[1]", "7", "[".repeat(100) + "]".repeat(100), ""])(
  "a page's answer that cannot be parsed (case %#) fails its own call and no other",
  async (payload) => {
    const client = await hub.connect();
    const other = client.call({ name: "t" });
    const { id } = await lastSent();
    const outcome = client.call({ name: "t" });
    await answer(payload);
    expect(await outcome).toMatchObject({ outcome: "tool-error", ran: "yes", code: "result-unsendable" });
    await hub.end.say({ type: "result", id }, done);
    expect((await other).outcome).toBe("ok");
  },
);

test("an answer that is not text fails its own call and no other", async () => {
  const client = await hub.connect();
  const outcome = client.call({ name: "t" });
  const header = new TextEncoder().encode(`${JSON.stringify({ type: "result", id: (await lastSent()).id })}\n`);
  await hub.end.sayRaw(Uint8Array.of(...header, 0xff, 0xfe));
  expect(await outcome).toMatchObject({ outcome: "tool-error", code: "result-unsendable" });
  expect(client.state.status).toBe("connected");
});
