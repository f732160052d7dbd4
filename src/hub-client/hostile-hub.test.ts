import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { cutOff, encodeFrame, outcomeNames } from "../wire/index.ts";
import type { FrameToAgent, Message } from "../wire/index.ts";
import { createScriptedHub } from "./scripted-hub.test-helper.ts";
import type { ScriptedHub } from "./scripted-hub.test-helper.ts";

let hub: ScriptedHub;

beforeEach(() => {
  hub = createScriptedHub();
});

test.each(["", "{", "null", "[]", '{"type":7}', '{"type":"result"}', '{"type":"ack","id":"1","tab":"no tab"}'])(
  "%j is an invalid frame: the link is closed with a named code, and another one made",
  async (text) => {
    const client = await hub.connect();
    const outcome = client.call({ name: "t" });
    await hub.clock.advance(0);
    await hub.end.sayRaw(text);
    expect(hub.end.closing?.code).toBe(4000);
    expect(await outcome).toMatchObject({ outcome: "outcome-unknown" });
    expect(client.state).toMatchObject({ status: "reconnecting", code: "frame-malformed" });
    await hub.takeBack();
    expect(client.state.status).toBe("connected");
  },
);

test("a frame that is too large is refused with that code", async () => {
  const client = await hub.connect({ limits: { frameBytes: 1000 } });
  await hub.end.sayRaw(encodeFrame({ type: "changed" }, "x".repeat(1000)));
  expect([hub.end.closing?.code, client.state.status]).toEqual([4001, "reconnecting"]);
});

test("frames of a later version, a second welcome, and frames about unknown calls are ignored", async () => {
  const client = await hub.connect();
  const states: string[] = [];
  client.onState(({ status }) => states.push(status));
  const outcome = client.call({ name: "t" });
  await hub.clock.advance(0);
  await hub.end.sayRaw('{"type":"of-the-future","id":"1"}');
  await hub.end.say({ type: "welcome", version: 1, agent: "a2", heartbeat: 1 });
  await hub.end.say({ type: "ack", id: "no-such-call", tab: "t1" });
  await hub.end.say({ type: "ask", id: "no-such-call", ask: "q", method: "elicitation/create" }, "{}");
  await hub.end.say({ type: "result", id: "no-such-call" }, "{}");
  await hub.end.say({ type: "listing", id: "no-such-list" }, "not JSON");
  const [{ id } = { id: "" }] = hub.end.heard("call");
  await hub.end.say({ type: "result", id }, '{"n":1}');
  for (const late of ["result", "failure", "progress", "log", "ack"] as const) {
    const more = { outcome: "ok", ran: "no", code: "c", message: "m", progress: 1, level: "info", tab: "t" } as const;
    await hub.end.say({ type: late, id, ...more } as unknown as FrameToAgent, '{"n":2}');
  }
  expect(await outcome).toEqual({ outcome: "ok", ran: "yes", result: { n: 1 } });
  await hub.clock.advance(10_000);
  expect([states, client.state.status]).toEqual([[], "connected"]);
});

/** A hub's frames in the life of one call. */
const story: readonly ((id: string) => FrameToAgent)[] = [
  (id) => ({ type: "ack", id, tab: "t1" }),
  (id) => ({ type: "progress", id, progress: 1 }),
  (id) => ({ type: "log", id, level: "info" }),
  (id) => ({ type: "ask", id, ask: "q", method: "elicitation/create" }),
  (id) => ({ type: "result", id }),
];

test.each(story.map((_, moment) => moment))(
  "a link that is cut at moment %i of a call leaves one true outcome, with a key and without",
  async (moment) => {
    const client = await hub.connect({ onAsk: { "elicitation/create": async () => ({}) } });
    const plain = client.call({ name: "t" });
    const keyed = client.call({ name: "t", key: "k" });
    await hub.clock.advance(0);
    for (const { id } of hub.end.heard("call")) {
      for (const frame of story.slice(0, moment)) await hub.end.say(frame(id), "{}");
    }
    await hub.end.close(cutOff);
    expect(await plain).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
    await hub.takeBack();
    const again = hub.end.heard("call");
    expect(again.map(({ key }) => key)).toEqual(["k"]);
    for (const { id } of again) for (const frame of story) await hub.end.say(frame(id), "{}");
    expect(await keyed).toMatchObject({ outcome: "ok" });
    client.close();
    expect(hub.clock.pending).toBe(0);
  },
);

const ids = fc.constantFrom("1", "2", "3", "4", "9");
const payloads = fc.constantFrom("{}", '{"n":1}', "not JSON", "", "[]");
const frames: fc.Arbitrary<Message> = fc.oneof(
  fc.string(),
  fc.uint8Array({ maxLength: 64 }),
  fc
    .record({ type: fc.constantFrom("ack", "progress", "log", "ask", "result", "listing", "watched"), id: ids })
    .map(JSON.stringify),
  fc.tuple(fc.constantFrom(...story), ids, payloads).map(([frame, id, payload]) => encodeFrame(frame(id), payload)),
  fc
    .tuple(fc.constantFrom(...outcomeNames), fc.constantFrom("yes", "no", "maybe"), fc.string({ maxLength: 64 }), ids)
    .map(([outcome, ran, code, id]) => encodeFrame({ type: "failure", id, outcome, ran, code, message: "m" })),
  fc
    .constantFrom<FrameToAgent>({ type: "changed" }, { type: "heartbeat" }, { type: "goaway", within: 10 })
    .map((frame) => encodeFrame(frame)),
);

test("with any frames of a hub, in any order, every call has exactly one outcome and nothing is left behind", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(frames, fc.constant("cut" as const)), { maxLength: 30 }), async (script) => {
      hub = createScriptedHub();
      const errors: unknown[] = [];
      const client = await hub.connect({ onError: (error) => errors.push(error) });
      const outcomes = [
        client.call({ name: "t" }),
        client.call({ name: "t", key: "k" }),
        client.call({ name: "t", key: "l", timeout: 2000 }),
      ];
      const tabs = client.tabs().then(
        () => "listed",
        () => "failed",
      );
      for (const message of script) {
        if (message === "cut") await hub.end.close(cutOff);
        else await hub.end.sayRaw(message);
        if (client.state.status === "reconnecting") await hub.takeBack();
      }
      client.close();
      for (const { outcome, ran } of await Promise.all(outcomes)) {
        expect(outcomeNames).toContain(outcome);
        expect(["yes", "no", "maybe"]).toContain(ran);
      }
      expect(["listed", "failed"]).toContain(await tabs);
      expect([errors, hub.clock.pending]).toEqual([[], 0]);
    }),
    { numRuns: 150 },
  );
});
