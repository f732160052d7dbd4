// Hubs, and ways to the broker, that take less than what is sent.
import { expect, onTestFinished, test } from "vitest";
import { createFaultProxy } from "../../testing/index.ts";
import { startNats } from "../../../test/support/start-nats.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { agentAt } from "./hubs.test-helper.ts";
import { createMemoryHubs, track } from "./memory-hubs.test-helper.ts";
import { windowBytes } from "./outbox.ts";

const second = 1000;
const mebibyte = 1024 * 1024;

test("MH45: many tabs are announced as the other hub reads them, and all are known before it is told so", async () => {
  const hubs = createMemoryHubs({ tabsPerPrincipal: 2000, offersPerPrincipal: 5000 });
  const [a, b] = [hubs.hub("a"), hubs.hub("b")];
  await hubs.clock.advance(second);
  const tools = [{ name: "work", description: "x".repeat(4000), inputSchema: { type: "object" } }];
  for (let n = 0; n < 1000; n++) b.page(`tab-${n}`).say({ type: "offer" }, JSON.stringify({ tools }));
  await hubs.clock.advance(second);
  const sentBy = () => hubs.broker.sent.reduce((sum, { message }) => sum + message.length, 0);
  const before = sentBy();
  a.bus.hold();
  const known = a.cluster.know("ann");
  let isKnown = false;
  void known?.then(() => (isKnown = true));
  a.bus.release();
  a.bus.hold();
  await hubs.clock.advance(100);
  expect(sentBy() - before).toBeLessThan(windowBytes + 200 * 1024);
  expect(isKnown).toBe(false);
  a.bus.release();
  await hubs.clock.advance(100);
  expect(isKnown).toBe(true);
  expect(a.agent().tabs()).toHaveLength(1000);
  expect([...a.events, ...b.events].filter((event) => event !== "hub-joined")).toEqual([]);
});

test("MH46: calls and results that another hub does not read are refused beyond the budget, and it goes on afterwards", async () => {
  const hubs = createMemoryHubs({ callsPerTab: 200, callsPerPrincipal: 500 });
  const [a, b] = [hubs.hub("a"), hubs.hub("b")];
  await hubs.clock.advance(second);
  const page = b.page();
  const agent = a.agent();
  await hubs.clock.advance(second);
  const waiting = Array.from({ length: 40 }, () => track(agent));
  await hubs.clock.advance(10);
  expect(page.calls).toHaveLength(40);
  // Its page answers with more than the agent's hub reads.
  a.bus.hold();
  for (const { id } of page.calls) page.say({ type: "result", id }, `{"content":"${"x".repeat(mebibyte)}"}`);
  await hubs.clock.advance(100);
  a.bus.release();
  await hubs.clock.advance(100);
  const ends = waiting.map(({ outcome }) => [outcome?.outcome, outcome?.ran, outcome?.code].join(" "));
  expect(new Set(ends)).toEqual(new Set(["ok yes ", "outcome-unknown maybe too-slow"]));
  const fine = ends.filter((end) => end === "ok yes ").length;
  expect(fine).toBeGreaterThan(15);
  // Its agent sends more than the page's hub reads.
  b.bus.hold();
  const large = JSON.stringify({ text: "x".repeat(mebibyte) });
  const sent = Array.from({ length: 40 }, () => track(agent, { arguments: large }));
  await hubs.clock.advance(100);
  const refused = sent.flatMap(({ outcome }) => outcome ?? []);
  expect(refused.length).toBeGreaterThan(15);
  expect(refused.every(({ code, ran, retryAfter }) => code === "calls-too-many" && ran === "no" && retryAfter)).toBe(
    true,
  );
  b.bus.release();
  await hubs.clock.advance(100);
  expect(page.calls).toHaveLength(40 + 40 - refused.length);
  expect([...a.events, ...b.events].filter((event) => event !== "hub-joined")).toEqual(
    Array.from({ length: 40 - fine + refused.length }, () => "queuedBytesPerPrincipal"),
  );
});

test("MH45: over a slow way to the broker, one user's large results delay no other's calls, and the bus is up", async () => {
  const secret = "s".repeat(40);
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const proxy = await createFaultProxy({ target: { host: "127.0.0.1", port: nats.port } });
  onTestFinished(() => proxy.close());
  const start = (hubName: string, url: string) =>
    startHub({ cluster: { nats: url, hubName }, ai: "none", jwt: { secret } });
  const [a, b] = [await start("a", nats.url), await start("b", `nats://127.0.0.1:${proxy.port}`)];
  const large = `{"content":[{"type":"text","text":"${"x".repeat(2 * mebibyte)}"}]}`;
  const pageOf = async (subject: string, payload: string) =>
    connectPage(b.url, {
      ...{ token: await signPageToken({ secret, subject }), tab: subject },
      handle({ id }, page) {
        page.ack(id);
        page.result(id, payload);
      },
    });
  await pageOf("ann", large);
  await pageOf("bob", `{"content":[]}`);
  const agentOf = async (subject: string) => agentAt(a, { token: await signAgentToken({ secret, subject }) });
  const [ann, bob] = [await agentOf("ann"), await agentOf("bob")];
  proxy.setRate(8 * mebibyte);
  let hasEnded = false;
  const ends = Promise.all(Array.from({ length: 8 }, (_, n) => ann.call("work", { id: `ann-${n}` })));
  void ends.then(() => (hasEnded = true));
  let calls = 0;
  while (!hasEnded) {
    const { frame } = await bob.call("work", { id: `bob-${++calls}` });
    expect(frame.type).toBe("result");
  }
  expect((await ends).map(({ frame, payload }) => [frame.type, payload.length])).toEqual(
    Array.from({ length: 8 }, () => ["result", large.length]),
  );
  // More than one with each of the other's.
  expect(calls).toBeGreaterThan(8);
  const noted = [...a.records, ...b.records].map(({ event }) => event);
  expect(noted.filter((event) => /^(bus-|hub-(gone|messages))/.test(event))).toEqual([]);
}, 60_000);
