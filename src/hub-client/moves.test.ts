import { beforeEach, expect, test } from "vitest";
import { closeReason } from "../wire/index.ts";
import { createScriptedHub, welcome } from "./scripted-hub.test-helper.ts";
import type { HubEnd, ScriptedHub } from "./scripted-hub.test-helper.ts";

let hub: ScriptedHub;

beforeEach(() => {
  hub = createScriptedHub();
});

const result = JSON.stringify({ content: [] });

/** Has the hub say that another takes over, and welcomes the client there. */
async function moveOn(): Promise<readonly [old: HubEnd, next: HubEnd]> {
  const old = hub.end;
  await old.say({ type: "goaway", within: 100, elsewhere: true });
  await hub.clock.advance(100);
  await hub.end.say(welcome);
  return [old, hub.end];
}

test("W47: an agent connects to the next hub first: running calls end on the old connection, new ones go to the new", async () => {
  const client = await hub.connect();
  const running = client.call({ name: "work" });
  await hub.clock.advance(0);
  const [old, next] = await moveOn();
  const later = client.call({ name: "work" });
  await hub.clock.advance(0);
  expect([old, next].map((end) => end.heard("call").length)).toEqual([1, 1]);
  expect(old.closing).toBeUndefined();
  await old.say({ type: "result", id: old.heard("call")[0]?.id ?? "" }, result);
  expect(await running).toMatchObject({ outcome: "ok" });
  expect(old.closing).toEqual(closeReason("normal"));
  await next.say({ type: "result", id: next.heard("call")[0]?.id ?? "" }, result);
  expect(await later).toMatchObject({ outcome: "ok" });
  expect([client.state.status, hub.ends.length]).toEqual(["connected", 2]);
  client.close();
  expect(hub.clock.pending).toBe(0);
});

test("W47: a cancel and an answer go where their call is, and a new hub's frame does not end a call of the old", async () => {
  const client = await hub.connect({ onAsk: { "elicitation/create": async () => ({ action: "decline" }) } });
  const ending = new AbortController();
  const running = client.call({ name: "work", signal: ending.signal });
  await hub.clock.advance(0);
  const [old, next] = await moveOn();
  const id = old.heard("call")[0]?.id ?? "";
  await next.say({ type: "result", id }, result);
  await old.say({ type: "ask", id, ask: "1", method: "elicitation/create" }, "{}");
  ending.abort();
  await hub.clock.advance(0);
  expect([old, next].map((end) => [end.heard("answer").length, end.heard("cancel").length])).toEqual([
    [1, 1],
    [0, 0],
  ]);
  await old.say({ type: "failure", id, outcome: "cancelled", ran: "maybe", code: "cancelled", message: "" });
  expect(await running).toMatchObject({ outcome: "cancelled" });
});

test("W47: watchers go on at the new hub, and stop at the old", async () => {
  const client = await hub.connect();
  client.watch(() => {});
  const running = client.call({ name: "work" });
  await hub.clock.advance(0);
  const [old, next] = await moveOn();
  expect(next.heard("watch").map(({ on }) => on)).toEqual([true]);
  expect(old.heard("watch").map(({ on }) => on)).toEqual([true, false]);
  client.close();
  expect(await running).toMatchObject({ outcome: "outcome-unknown" });
});

test("W47: of an old connection that is lost, calls with a key are sent to the new hub, and others end as unknown", async () => {
  const client = await hub.connect();
  const keyed = client.call({ name: "work", key: "k" });
  const other = client.call({ name: "work" });
  await hub.clock.advance(0);
  const [old, next] = await moveOn();
  await old.close();
  expect(await other).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  const [again, ...rest] = next.heard("call");
  expect([again, rest]).toEqual([expect.objectContaining({ key: "k" }), []]);
  await next.say({ type: "result", id: again?.id ?? "" }, result);
  expect(await keyed).toMatchObject({ outcome: "ok" });
  expect(hub.ends.length).toBe(2);
});

test("W47: a client that finds no other hub stays, and reconnects when the old one has closed", async () => {
  const client = await hub.connect();
  hub.isDown = true;
  await hub.end.say({ type: "goaway", within: 100, elsewhere: true });
  await hub.clock.advance(1000);
  expect(client.state.status).toBe("connected");
  hub.isDown = false;
  await hub.end.close(closeReason("going-away"));
  await hub.takeBack();
  expect(client.state.status).toBe("connected");
  client.close();
  expect(hub.clock.pending).toBe(0);
});
