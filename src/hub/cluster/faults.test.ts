// Hubs that end, sleep, and lose the bus, by a clock that the tests advance.
import { expect, test } from "vitest";
import { parseMessages } from "./messages.ts";
import { createMemoryHubs, plain, runningCall, track } from "./memory-hubs.test-helper.ts";

const second = 1000;

test("MH40: a hub that was silent for three seconds is gone: its tabs are away, and their calls end as unknown after the grace time", async () => {
  const { clock, b, agent, call } = await runningCall();
  b.bus.setUp(false);
  await clock.advance(2 * second);
  expect(agent.tabs()).toMatchObject([{ state: "connected" }]);
  await clock.advance(2 * second);
  expect(agent.tabs()).toMatchObject([{ state: "away" }]);
  await clock.advance(5 * second);
  expect(call.outcome).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  expect(agent.tabs()).toEqual([]);
});

test("MH40: a hub that closes is gone at once", async () => {
  const { clock, b, agent, a } = await runningCall();
  await b.cluster.close();
  await clock.advance(10);
  expect(agent.tabs()).toMatchObject([{ state: "away" }]);
  expect(a.cluster.hubs).toEqual([]);
});

test("MH40: a call of a hub that is gone is aborted at its page, unless another hub goes on with it", async () => {
  const { clock, a, page, id } = await runningCall();
  a.bus.setUp(false);
  await clock.advance(4 * second);
  expect(page.frames.filter(({ type }) => type === "cancel")).toEqual([]);
  await clock.advance(2 * second);
  expect(page.frames.filter(({ type }) => type === "cancel")).toMatchObject([{ id }]);
});

test("MH41: while the bus is down, calls to tabs elsewhere are refused by name, and tabs of the hub itself go on", async () => {
  const hubs = createMemoryHubs({ graceTime: 100 });
  const [a, b] = [hubs.hub("a"), hubs.hub("b")];
  const [mine, other] = [a.page("mine"), b.page("other")];
  const agent = a.agent();
  await hubs.clock.advance(second);
  expect(agent.tabs()).toHaveLength(2);
  a.bus.setUp(false);
  await hubs.clock.advance(second);
  const refused = track(agent, { tab: "other" });
  const local = track(agent, { tab: "mine" });
  await hubs.clock.advance(10);
  expect(refused.outcome).toMatchObject({ outcome: "rejected", ran: "no", code: "bus-unavailable" });
  mine.say({ type: "ack", id: mine.calls[0]?.id ?? "" });
  mine.say({ type: "result", id: mine.calls[0]?.id ?? "" }, plain);
  expect(local.outcome).toMatchObject({ outcome: "ok" });
  a.bus.setUp(true);
  await hubs.clock.advance(second);
  expect(agent.tabs()).toHaveLength(2);
  expect(other.calls).toEqual([]);
});

test("MH41: a call is refused by name at once while its tab may come back, and until all hubs have answered again", async () => {
  const hubs = createMemoryHubs();
  const [a, b] = [hubs.hub("a"), hubs.hub("b")];
  b.page();
  const agent = a.agent();
  await hubs.clock.advance(second);
  const refusal = { outcome: "rejected", ran: "no", code: "bus-unavailable" };
  a.bus.setUp(false);
  const atOnce = track(agent);
  await hubs.clock.advance(10);
  expect(atOnce.outcome).toMatchObject(refusal);
  await hubs.clock.advance(10 * second);
  const later = track(agent);
  a.bus.setUp(true);
  const soon = track(agent);
  await hubs.clock.advance(second);
  expect([later.outcome, soon.outcome]).toMatchObject([refusal, refusal]);
  expect(agent.tabs()).toMatchObject([{ state: "connected" }]);
});

test("MH41: a call goes on after the bus was down for less than the grace time, with the outcome that was lost meanwhile", async () => {
  const { clock, a, b, page, call, id } = await runningCall();
  for (const { bus } of [a, b]) bus.setUp(false);
  page.say({ type: "result", id }, plain);
  await clock.advance(2 * second);
  for (const { bus } of [a, b]) bus.setUp(true);
  await clock.advance(second);
  // The page is asked, and gives the outcome again.
  expect(page.calls.at(-1)).toMatchObject({ id, resume: true });
  page.say({ type: "result", id }, plain);
  await clock.advance(10);
  expect(call.outcome).toMatchObject({ outcome: "ok", ran: "yes" });
});

test("MH42: a broker that hangs is noticed within two seconds, and what it delivers later than a lease does not run", async () => {
  const hubs = createMemoryHubs();
  const [a, b] = [hubs.hub("a"), hubs.hub("b")];
  await hubs.clock.advance(second);
  const page = b.page();
  const agent = a.agent();
  await hubs.clock.advance(second);
  for (const { bus } of [a, b]) bus.hold();
  const call = track(agent, { left: 60 * second });
  await hubs.clock.advance(2 * second);
  expect([a.cluster.isUp, b.cluster.isUp]).toEqual([false, false]);
  await hubs.clock.advance(18 * second);
  expect(call.outcome).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  for (const { bus } of [a, b]) bus.release();
  await hubs.clock.advance(2 * second);
  expect([a.cluster.isUp, b.cluster.isUp]).toEqual([true, true]);
  expect(page.calls).toEqual([]);
  expect(b.events).toContain("late-call-dropped");
  const next = track(agent);
  await hubs.clock.advance(10);
  expect(page.calls).toHaveLength(1);
  page.say({ type: "ack", id: page.calls[0]?.id ?? "" });
  page.say({ type: "result", id: page.calls[0]?.id ?? "" }, plain);
  await hubs.clock.advance(10);
  expect(next.outcome).toMatchObject({ outcome: "ok" });
});

test("MH42: a hub that was stopped for longer than a lease delivers no call that came before", async () => {
  const { clock, b, page, agent } = await runningCall();
  // Stopped: nothing comes in, nothing goes out.
  b.bus.hold();
  const late = track(agent, { left: 60 * second });
  await clock.advance(20 * second);
  b.bus.release();
  await clock.advance(2 * second);
  expect(page.calls).toHaveLength(1);
  expect(late.outcome).toMatchObject({ ran: "maybe" });
  expect(agent.tabs()).toMatchObject([{ state: "connected" }]);
});

test("MH42: the clocks of two hubs may drift apart by any amount, and calls are still delivered", async () => {
  const { clock, broker, a, b } = await runningCall();
  const stranger = broker.connect();
  const from = "d".repeat(22);
  const page = b.page("other");
  await clock.advance(10);
  // A clock that loses a second in each minute, for ten minutes.
  const slow = () => Math.round(clock.now() * (59 / 60));
  for (let count = 0; count < 600; count++) {
    stranger.publish("pagewire.test.lease", Buffer.from(`lease ${from} ${slow()} 0\n{}`));
    await clock.advance(second);
  }
  const [link] =
    broker.sent
      .flatMap(({ message }) => parseMessages(message))
      .findLast(({ kind, body }) => kind === "tab" && body.includes('"tabId":"other"'))?.words ?? [];
  const call = {
    type: "call",
    id: "drifted",
    method: "tools/call",
    name: "work",
    left: 1000,
    at: 0,
    agent: { name: "x" },
  };
  stranger.publish(
    `pagewire.test.hub.${b.cluster.id}`,
    Buffer.from(`give ${from} ${slow()} 1 ${link} drifted\n${JSON.stringify(call)}`),
  );
  await clock.advance(10);
  expect(page.calls.map(({ id }) => id)).toEqual(["drifted"]);
  expect(a.cluster.isUp).toBe(true);
});

test("MH40: a hub whose timers stood still is known again, with its tabs, as soon as it goes on", async () => {
  const { clock, a, b, agent } = await runningCall();
  // The others' view of a stopped hub, which itself notices nothing.
  const { publish } = b.bus;
  Object.assign(b.bus, {
    publish: (subject: string, message: Uint8Array) =>
      subject.endsWith(b.cluster.id) ? publish(subject, message) : true,
  });
  await clock.advance(10 * second);
  expect([agent.tabs(), a.cluster.hubs]).toEqual([[], []]);
  Object.assign(b.bus, { publish });
  await clock.advance(2 * second);
  expect(agent.tabs()).toMatchObject([{ state: "connected" }]);
});

test("MH43: a page's answer to a question of one hub, or a cancel, of another hub's call is passed by none", async () => {
  const { clock, broker, b, page, id } = await runningCall();
  const stranger = broker.connect();
  const before = page.frames.length;
  const subject = `pagewire.test.hub.${b.cluster.id}`;
  for (const kind of ["cancel", "answer"]) {
    const frame = JSON.stringify({ type: kind, id, ask: "q" });
    stranger.publish(subject, Buffer.from(`${kind} ${"x".repeat(22)} 0 1 1 ${id}\n${frame}`));
  }
  await clock.advance(10);
  expect(page.frames).toHaveLength(before);
});

test("MH43: what is no message is ignored, and ends nothing", async () => {
  const { clock, broker, a, b, page, call, id } = await runningCall();
  const stranger = broker.connect();
  const from = "s".repeat(22);
  const bad = [
    ...[
      "",
      "\n",
      "tab\n{}",
      `tab ${from}\n`,
      `tab ${from} x\n{}`,
      `tab ${from} 0 1 1\nnull`,
      `tab ${from} 0 1 1\n{"identity":{}}`,
    ],
    ...[
      `tab ${from} 0 1 1\n{`,
      `page ${from} 0 1\n{}`,
      `give ${from} 0 1 99 x\n{}`,
      `end ${from} 0 1 77 x\n`,
      `off ${from} 0 1\n`,
    ],
    ...[
      `ask ${from} 0 1\n`,
      `told ${from} 0 1\n`,
      `state ${from} 0 1 x\n[`,
      `part ${from} 0 1 1 0 2\nx`,
      `part ${from} 0 1 1 9 2\nx`,
    ],
    ...[
      ...["99999", "-20"].map((size) => `batch ${from} 0 1\npage ${size} 1\n{}`),
      `batch ${from} 0 1\nbatch 20 1\npage 2 1\n{}`,
      `nothing ${from} 0 1\n`,
      `__proto__ ${from} 0 1\n`,
      `constructor ${from} 0 1\n`,
      `lease ${from} 0 1\n{{{`,
      `probe ${from} 0 1 5\n`,
    ],
  ];
  for (const { cluster } of [a, b])
    for (const subject of [`hub.${cluster.id}`, "lease", "ask", "state"])
      for (const text of bad) stranger.publish(`pagewire.test.${subject}`, Buffer.from(text));
  await clock.advance(10);
  page.say({ type: "result", id }, plain);
  await clock.advance(10);
  expect(call.outcome).toMatchObject({ outcome: "ok" });
  expect(a.cluster.hubs.length).toBe(2);
});

test("MH31: a hub hears of tabs only of principals whose agents it has, and of no payload that it does not need", async () => {
  const { clock, broker, hub } = createMemoryHubs();
  const [a, b, c] = [hub("a"), hub("b"), hub("c")];
  await clock.advance(second);
  for (let count = 0; count < 10; count++) b.page(`tab-${count}`);
  a.agent();
  await clock.advance(second);
  const toC = broker.sent.filter(({ subject }) => subject === `pagewire.test.hub.${c.cluster.id}`);
  const kinds = new Set(toC.flatMap(({ message }) => parseMessages(message).map(({ kind }) => kind)));
  expect(kinds).toEqual(new Set(["hello", "counts", "probe"]));
});

test("MH31: a principal whose last agent left is followed for five more minutes", async () => {
  const { clock, hub } = createMemoryHubs();
  const [a, b] = [hub("a"), hub("b")];
  await clock.advance(second);
  b.page();
  const agent = a.agent();
  await clock.advance(second);
  agent.close();
  await clock.advance(299 * second);
  expect(a.agent().tabs()).toHaveLength(1);
});

test("MH40: a hub that comes back soon after it was given up goes on with its calls", async () => {
  const { clock, a, page, call, id } = await runningCall();
  a.bus.setUp(false);
  await clock.advance(4 * second);
  a.bus.setUp(true);
  await clock.advance(3 * second);
  expect(page.calls.at(-1)).toMatchObject({ id, resume: true });
  expect(page.frames.filter(({ type }) => type === "cancel")).toEqual([]);
  page.say({ type: "result", id }, plain);
  await clock.advance(10);
  expect(call.outcome).toMatchObject({ outcome: "ok", ran: "yes" });
});

test("MH11: a tab whose change this hub has no room for is cut off: its call may run, and ends as unknown", async () => {
  const { clock, hub } = createMemoryHubs({ offersPerPrincipal: 3 });
  const [a, b] = [hub("a"), hub("b")];
  await clock.advance(second);
  const tools = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: "object" } }));
  a.page("mine").say({ type: "offer" }, JSON.stringify({ tools: tools("one", "two") }));
  const page = b.page();
  const agent = a.agent();
  await clock.advance(second);
  const call = track(agent, { tab: "tab" });
  await clock.advance(10);
  expect(page.calls).toHaveLength(1);
  page.say({ type: "offer-change" }, JSON.stringify({ add: { tools: tools("three", "four") } }));
  await clock.advance(10);
  expect(a.events).toContain("remote-tab-refused");
  await clock.advance(10 * second);
  expect(call.outcome).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
});

test("MH31: a principal is followed for as long as its calls run, also when its last agent left long ago", async () => {
  const { clock, a, page, agent, id } = await runningCall();
  const long = track(agent, { left: 1000 * second });
  await clock.advance(10);
  const { id: longId } = page.calls.find((each) => each.id !== id) ?? { id: "" };
  page.say({ type: "ack", id: longId });
  await clock.advance(10);
  agent.close();
  await clock.advance(301 * second);
  expect(a.agent().tabs()).toHaveLength(1);
  page.say({ type: "result", id: longId }, plain);
  await clock.advance(10);
  expect(long.outcome).toMatchObject({ outcome: "ok", ran: "yes" });
});

test("MH30: a page that connects again without the focus does not take it", async () => {
  const { clock, hub } = createMemoryHubs();
  const [a, b] = [hub("a"), hub("b")];
  await clock.advance(second);
  const agent = a.agent();
  const active = () => agent.tabs().flatMap(({ tabId, isActive }) => (isActive ? tabId : []));
  const before = b.page("before", { focused: true });
  b.page("now", { focused: true });
  await clock.advance(10);
  expect(active()).toEqual(["now"]);
  before.lose();
  await clock.advance(10);
  b.page("before");
  await clock.advance(10);
  expect(active()).toEqual(["now"]);
  b.page("before", { focused: true });
  await clock.advance(10);
  expect(active()).toEqual(["before"]);
});

test("MH40: a hub whose calls were aborted while its messages were lost gets their failures, if messages reach it", async () => {
  const { clock, a, b, page, call, id } = await runningCall();
  const { publish } = a.bus;
  const toItself = (subject: string) => subject.endsWith(a.cluster.id);
  Object.assign(a.bus, {
    publish: (subject: string, message: Uint8Array) => !toItself(subject) || publish(subject, message),
  });
  await clock.advance(6 * second);
  expect(b.cluster.hubs).toEqual([]);
  expect(page.frames.filter(({ type }) => type === "cancel")).toMatchObject([{ id }]);
  expect(call.outcome).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
});

test("a hub that has left keeps no timer for agents that leave or come later", async () => {
  const { clock, a, agent } = await runningCall();
  await a.cluster.close();
  const before = clock.pending;
  agent.close();
  a.agent().close();
  expect(clock.pending).toBeLessThanOrEqual(before);
});

test("MH33: a page that comes back while the bus is down keeps the calls of other hubs, which ask for them later", async () => {
  const { clock, a, b, page, call, id } = await runningCall();
  for (const { bus } of [a, b]) bus.setUp(false);
  page.lose();
  await clock.advance(100);
  const again = b.page("tab", { running: [id, "unknown"] });
  await clock.advance(4 * second);
  expect(again.frames.filter(({ type }) => type === "cancel")).toEqual([]);
  for (const { bus } of [a, b]) bus.setUp(true);
  await clock.advance(3 * second);
  expect(again.calls.at(-1)).toMatchObject({ id, resume: true });
  expect(again.frames.filter(({ type }) => type === "cancel")).toMatchObject([{ id: "unknown" }]);
  again.say({ type: "result", id }, plain);
  await clock.advance(10);
  expect(call.outcome).toMatchObject({ outcome: "ok", ran: "yes" });
});

test("MH42: a call that comes late from a hub that was given up meanwhile does not run", async () => {
  const { clock, a, b, page, agent, id: first } = await runningCall();
  // The hub's messages are on the way for long.
  const late: (() => void)[] = [];
  const { publish } = a.bus;
  const isOwn = (subject: string) => subject.endsWith(a.cluster.id);
  Object.assign(a.bus, {
    publish: (subject: string, message: Uint8Array) =>
      isOwn(subject) ? publish(subject, message) : late.push(() => publish(subject, message)) > 0,
  });
  const ended = track(agent, { left: 3 * second });
  await clock.advance(5 * second);
  expect(ended.outcome).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
  expect(b.cluster.hubs).toEqual([]);
  Object.assign(a.bus, { publish });
  for (const send of late) send();
  await clock.advance(10);
  expect(b.events).toContain("late-call-dropped");
  expect(page.calls.filter(({ id }) => id !== first)).toEqual([]);
  await clock.advance(4 * second);
  const next = track(agent);
  await clock.advance(10);
  const { id } = page.calls.at(-1) ?? { id: "" };
  page.say({ type: "ack", id });
  page.say({ type: "result", id }, plain);
  await clock.advance(10);
  expect(next.outcome).toMatchObject({ outcome: "ok" });
});
