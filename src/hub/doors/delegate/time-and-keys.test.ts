import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { byHand, plainResult } from "../../test-support/page.test-helper.ts";
import { answering, beginDelegate, delegate, openBoth, openTerminal, toldIn } from "./delegate.test-helper.ts";

const late = "Browser client did not respond within timeout";
const inputSchema = { type: "object" } as const;

test("DL13: a call's timeout is the endpoint's, its tool's or its program's, up to the limit", async () => {
  const hub = await startHub({ limits: { delegateTime: 30_000, callTimeMost: 900_000 } });
  const marked = (name: string, callTime: unknown) => ({
    name,
    inputSchema,
    _meta: { "pagewire/callTime": callTime } as never,
  });
  const tools = [
    "work",
    marked("long", 800_000),
    marked("longer", 9e9),
    ...["x", 0, -1, null].map((time, at) => marked(`odd-${at}`, time)),
  ];
  const { page, terminal } = await openBoth(hub, { tools });
  const leftOf = async (action: string, seconds?: string) => {
    const headers = seconds === undefined ? {} : { "Pagewire-Timeout": seconds };
    expect((await delegate(hub, terminal, { fields: { action }, headers })).status).toBe(200);
    // Some time passes on the way, and more on a busy machine.
    return Math.ceil((page.calls.at(-1)?.left ?? 0) / 10_000) * 10_000;
  };
  expect(await leftOf("work")).toBe(30_000);
  expect(await leftOf("long")).toBe(800_000);
  expect(await leftOf("longer")).toBe(900_000);
  for (const at of [0, 1, 2, 3]) expect(await leftOf(`odd-${at}`)).toBe(30_000);
  const said = [await leftOf("long", "0.3e3"), await leftOf("work", "60"), await leftOf("work", "1e9")];
  expect(said).toEqual([300_000, 60_000, 900_000]);
});

test("DL13: a call that times out gets an error, and is cancelled in the page", async () => {
  const hub = await startHub({ limits: { delegateTime: 50 } });
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  for (const headers of [{}, { "Pagewire-Timeout": "0.05" }]) {
    const answer = await delegate(hub, terminal, { headers: headers as Record<string, string> });
    expect(toldIn(answer)).toEqual([502, "deadline-exceeded", late]);
    expect(answer.json).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
    expect((await page.next("cancel")).frame.id).toBe((await page.nextCall()).id);
  }
});

test("DL19: a program that hangs up takes its call along, whole or as a stream", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  for (const path of ["", "/stream"]) {
    const sent = beginDelegate(hub, terminal, { path });
    const { id } = await page.nextCall();
    page.ack(id);
    sent.destroy();
    expect((await page.next("cancel")).frame.id).toBe(id);
  }
  expect(await hub.metric("pagewire_calls_in_flight")).toBe(0);
});

test("DL19: a program that hangs up on a call with a key may come back for it", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub, { handle: byHand });
  const headers = { "Idempotency-Key": "one" };
  const sent = beginDelegate(hub, terminal, { headers });
  const { id } = await page.nextCall();
  page.ack(id);
  sent.destroy();
  const again = delegate(hub, terminal, { headers });
  // Another call completes in the meantime, which proves that the second one has arrived.
  const other = delegate(hub, terminal, { fields: { n: 2 } });
  page.result((await page.nextCall()).id, plainResult);
  await other;
  page.result(id, plainResult);
  expect((await again).json).toMatchObject({ status: "ok", replay: true });
  expect(page.calls).toHaveLength(2);
});

test("DL20: a repeated key gets the same outcome, and never a second run", async () => {
  const hub = await startHub({ limits: { keyBytes: 2000 } });
  const failure = '{"isError":true,"content":[{"type":"text","text":"No."}]}';
  const { page, terminal } = await openBoth(hub, { handle: answering(plainResult, failure) });
  const ask = (key: string, fields = {}) => delegate(hub, terminal, { headers: { "Idempotency-Key": key }, fields });
  const first = await ask("one");
  expect(first.json).not.toHaveProperty("replay");
  expect((await ask("one")).json).toEqual({ ...first.json, id: expect.any(String), replay: true });
  const failed = await ask("two");
  expect((await ask("two")).json).toEqual({ ...failed.json, replay: true });
  const conflict = await ask("one", { n: 1 });
  expect([conflict.status, conflict.json["code"]]).toEqual([409, "key-conflict"]);
  expect(page.calls).toHaveLength(2);
  page.calls.map(({ key }) => expect(key).toMatch(/^[\w-]{43}$/));
  await ask("large", { text: "x".repeat(3000) });
  const expired = await ask("one");
  expect([expired.status, expired.json["code"], expired.json["outcome"]]).toEqual([410, "key-expired", "expired"]);
});

test("DL20: a key is one terminal's", async () => {
  const hub = await startHub();
  const { page, terminal } = await openBoth(hub);
  const other = await openTerminal(hub, page.tabId);
  const headers = { "Idempotency-Key": "one" };
  for (const each of [terminal, other, terminal]) await delegate(hub, each, { headers });
  expect(page.calls).toHaveLength(2);
  const { text } = await delegate(hub, other, { headers, fields: { n: 1 } });
  for (const { key } of page.calls) expect(text).not.toContain(key);
});

test("DL20: a key whose tab has closed still has its outcome", async () => {
  const hub = await startHub({ limits: { graceTime: 20 } });
  const { page, terminal } = await openBoth(hub);
  const headers = { "Idempotency-Key": "one" };
  await delegate(hub, terminal, { headers });
  page.send({ type: "bye", final: true });
  await page.settled();
  expect((await delegate(hub, terminal, { headers })).json).toMatchObject({ result: "done", replay: true });
  expect((await delegate(hub, terminal, { headers: { "Idempotency-Key": "two" } })).json).toMatchObject({ ran: "no" });
});
