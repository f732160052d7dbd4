// Budgets that count over hubs, with hubs of one process and a clock that a test advances.
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { parsePolicy } from "../../policy/index.ts";
import type { AgentSession } from "../../switchboard/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { defaultLimits } from "../../wire/index.ts";
import type { JsonObject, Limits } from "../../wire/index.ts";
import { HubsUse, tellTime } from "./hubs-use.ts";
import { createMemoryHubs, plain, track } from "./memory-hubs.test-helper.ts";
import type { MemoryHub, MemoryHubs, MemoryPage, TrackedCall } from "./memory-hubs.test-helper.ts";

const second = 1000;
const minute = 60 * second;
const names = ["a", "b", "c"];

interface Three extends MemoryHubs {
  readonly hubs: readonly [MemoryHub, MemoryHub, MemoryHub];
  readonly agents: readonly AgentSession[];
  readonly page: MemoryPage;
}

/** Three hubs with an agent each, and a page at one of them; by default it answers at once. */
async function threeHubs(limits: Partial<Limits> = {}, { rate = "", answers = true } = {}): Promise<Three> {
  const policy = rate === "" ? undefined : parsePolicy(JSON.stringify({ rules: [{ rate, decision: "allow" }] }));
  const memory = createMemoryHubs(limits, policy);
  const [a, b, c] = names.map((name) => memory.hub(name)) as [MemoryHub, MemoryHub, MemoryHub];
  await memory.clock.advance(second);
  const page: MemoryPage = a.page("tab", {
    onFrame(frame) {
      if (frame.type === "call" && answers) queueMicrotask(() => page.say({ type: "result", id: frame.id }, plain));
    },
  });
  const agents = [a, b, c].map((hub) => hub.agent());
  await memory.clock.advance(second);
  return { ...memory, hubs: [a, b, c], agents, page };
}

const isRefused = ({ outcome }: TrackedCall, code = "calls-too-many") => outcome?.code === code;

/** Makes a call, and returns its refusal. */
async function callFor(agent: AgentSession): Promise<string | undefined> {
  const call = track(agent);
  await Promise.resolve();
  return call.outcome?.outcome === "rejected" ? call.outcome.message : undefined;
}

/** Begins as many calls as may begin. */
async function callWhileAllowed(agent: AgentSession): Promise<number> {
  let begun = 0;
  while (begun < 1000 && (await callFor(agent)) === undefined) begun++;
  return begun;
}

interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** The bound in docs/reference/limits.md, for three hubs: the calls that may begin in a time. */
function mostIn(milliseconds: number, { burst, perSecond }: Rate): number {
  const others = names.length - 1;
  return burst + (milliseconds * perSecond) / second + others * (burst + (tellTime * perSecond) / second);
}

/** The first time in which more calls began than may. */
function tooManyIn(times: readonly number[], rate: Rate): string | undefined {
  for (const [from, first] of times.entries())
    for (const [to, last] of times.entries())
      if (to >= from && to - from + 1 > mostIn(last - first, rate) + 1e-6)
        return `${to - from + 1} calls began in ${last - first} ms`;
  return undefined;
}

const steps = fc.array(
  fc.record({ hub: fc.nat({ max: 2 }), calls: fc.nat({ max: 40 }), pause: fc.nat({ max: 700 }) }),
  { minLength: 5, maxLength: 40 },
);

test("MH61: whatever hubs a principal calls at, no more calls begin in any time than the bound says", async () => {
  const rate = { burst: 20, perSecond: 10 };
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const limits = { callBurstPerPrincipal: rate.burst, callRatePerPrincipal: rate.perSecond };
      const { clock, agents } = await threeHubs(limits);
      const times: number[] = [];
      for (const { hub, calls, pause } of all) {
        const agent = agents[hub] as AgentSession;
        for (let count = 0; count < calls; count++) if ((await callFor(agent)) === undefined) times.push(clock.now());
        await clock.advance(pause);
      }
      expect(tooManyIn(times, rate)).toBeUndefined();
      const made = all.reduce((sum, { calls }) => sum + calls, 0);
      expect(times.length).toBeGreaterThanOrEqual(Math.min(made, rate.burst));
    }),
    { numRuns: 40 },
  );
});

test("MH61: in the long run hubs let in the rate of one hub together, neither more nor less", async () => {
  const { clock, agents } = await threeHubs({ callBurstPerPrincipal: 20, callRatePerPrincipal: 10 });
  let begun = 0;
  for (let at = 0; at < minute; at += 50) {
    for (const agent of agents) begun += await callWhileAllowed(agent);
    await clock.advance(50);
  }
  const whole = 20 + 10 * 60;
  expect(begun).toBeGreaterThanOrEqual(whole - names.length);
  expect(begun).toBeLessThanOrEqual(mostIn(minute, { burst: 20, perSecond: 10 }));
});

test("MH61: a principal that was at another hub only finds its rate used at this one, too", async () => {
  const { clock, agents, hubs } = await threeHubs({ callBurstPerPrincipal: 20, callRatePerPrincipal: 1 });
  const [first] = agents as [AgentSession];
  const allowed = { callBurstPerPrincipal: 5, callRatePerPrincipal: 0.01 };
  expect(await callWhileAllowed(first)).toBe(20);
  const late = hubs[2].agent(allowed);
  await clock.advance(tellTime);
  expect(await callWhileAllowed(late)).toBe(0);
});

test("MH61: a token's smaller budget counts over hubs as well", async () => {
  const { clock, hubs } = await threeHubs();
  const allowed = { callBurstPerPrincipal: 3, callRatePerPrincipal: 0.01 };
  const [a, b] = [hubs[0].agent(allowed), hubs[1].agent(allowed)];
  expect(await callWhileAllowed(a)).toBe(3);
  await clock.advance(tellTime);
  expect(await callWhileAllowed(b)).toBe(0);
});

test("MH62: the rate of a policy's rule counts the calls at all hubs", async () => {
  const { clock, agents } = await threeHubs({}, { rate: "10/minute" });
  const [a, b, c] = agents as [AgentSession, AgentSession, AgentSession];
  expect(await callWhileAllowed(a)).toBe(10);
  await clock.advance(tellTime);
  const refused = track(b);
  await Promise.resolve();
  expect(isRefused(refused, "policy-rate")).toBe(true);
  expect(refused.outcome?.retryAfter).toBeGreaterThan(5 * second);
  let begun = 10;
  for (let at = 0; at < 10 * minute; at += second) {
    for (const agent of [c, b, a]) begun += await callWhileAllowed(agent);
    await clock.advance(second);
  }
  expect(begun).toBeGreaterThanOrEqual(10 + 10 * 10 - names.length);
  expect(begun).toBeLessThanOrEqual(mostIn(10 * minute, { burst: 10, perSecond: 10 / 60 }));
});

test("MH60: calls in flight at other hubs count, and a call may begin once one of them has ended", async () => {
  const { clock, agents, page } = await threeHubs({ callsPerPrincipal: 4 }, { answers: false });
  const [a, b, c] = agents as [AgentSession, AgentSession, AgentSession];
  for (const agent of [a, a, b, b]) expect(await callFor(agent)).toBeUndefined();
  await clock.advance(tellTime);
  for (const agent of [a, b, c]) expect(await callFor(agent)).toContain("callsPerPrincipal");
  page.say({ type: "result", id: page.calls[0]?.id ?? "" }, plain);
  await clock.advance(tellTime);
  expect(await callFor(c)).toBeUndefined();
});

test("MH60: at no hub a call begins while so many are in flight that were told of", async () => {
  const max = 4;
  const moves = fc.array(fc.record({ hub: fc.nat({ max: 2 }), isEnd: fc.boolean(), pause: fc.nat({ max: 300 }) }), {
    minLength: 10,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const { clock, agents, page } = await threeHubs({ callsPerPrincipal: max }, { answers: false });
      const running: { hub: number; since: number; call: TrackedCall }[] = [];
      const ended = new Set<string>();
      const tooMany: number[] = [];
      for (const { hub, isEnd, pause } of all) {
        const agent = agents[hub] as AgentSession;
        const known = running.filter(
          ({ hub: at, since, call }) => !call.outcome && (at === hub || clock.now() - since >= tellTime),
        );
        const next = page.calls.find(({ id }) => !ended.has(id));
        if (isEnd && next) {
          ended.add(next.id);
          page.say({ type: "result", id: next.id }, plain);
        } else {
          const call = track(agent);
          await Promise.resolve();
          if (!isRefused(call)) running.push({ hub, since: clock.now(), call });
          if (!isRefused(call) && known.length >= max) tooMany.push(known.length);
        }
        await clock.advance(pause);
      }
      expect(tooMany).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test("MH60: the bytes of calls, and a token's smaller budget of calls, count over hubs", async () => {
  const { clock, hubs, agents } = await threeHubs({ callBytesPerPrincipal: 100 }, { answers: false });
  const [a, b] = agents as [AgentSession, AgentSession];
  track(a, { arguments: `{"a":"${"x".repeat(60)}"}` });
  await clock.advance(tellTime);
  const large = track(b, { arguments: `{"a":"${"x".repeat(60)}"}` });
  await Promise.resolve();
  expect(large.outcome?.message).toContain("callBytesPerPrincipal");
  const allowed = { callsPerPrincipal: 2 };
  const [small, other] = [hubs[1].agent(allowed), hubs[2].agent(allowed)];
  expect(await callFor(small)).toBeUndefined();
  expect(await callFor(small)).toBeUndefined();
  await clock.advance(tellTime);
  expect(await callFor(other)).toContain("callsPerPrincipal");
  expect(await callFor(b)).toBeUndefined();
});

test("MH60: tabs at other hubs count, also where nobody follows them", async () => {
  const { hub, clock } = createMemoryHubs({ tabsPerPrincipal: 3 });
  const [a, b] = [hub("a"), hub("b")];
  await clock.advance(second);
  const pages = ["1", "2", "3"].map((tab) => a.page(tab));
  await clock.advance(tellTime);
  expect(() => b.page("4")).toThrow("limit tabsPerPrincipal");
  expect(b.events).toContain("tabsPerPrincipal");
  // A known tab comes back at any use.
  a.page("1");
  for (const page of pages) page.lose();
  await clock.advance(second);
  expect(() => b.page("4")).not.toThrow();
});

test("MH63: while the bus is down each hub counts its own use alone, and once it is back that of all", async () => {
  const { clock, hubs, agents } = await threeHubs(
    { callsPerPrincipal: 4, callBurstPerPrincipal: 100, callRatePerPrincipal: 1 },
    { answers: false },
  );
  const [a, , c] = agents as [AgentSession, AgentSession, AgentSession];
  for (let count = 0; count < 4; count++) track(a);
  await clock.advance(tellTime);
  expect(await callFor(c)).toContain("callsPerPrincipal");
  hubs[2].bus.setUp(false);
  await clock.advance(tellTime);
  const own = hubs[2].page("own", {});
  expect(own.frames).toEqual([]);
  const alone = [1, 2, 3, 4].map(() => track(c, { tab: "own" }));
  await Promise.resolve();
  expect(alone.map((call) => isRefused(call))).toEqual([false, false, false, false]);
  expect(await callFor(c)).toContain("callsPerPrincipal");
  hubs[2].bus.setUp(true);
  await clock.advance(second);
  for (const call of alone) call.cancel();
  await clock.advance(tellTime);
  expect(await callFor(c)).toContain("callsPerPrincipal");
  for (const hub of hubs) expect(hub.use.elsewhere("ann", "callsPerPrincipal", 4)).toBe(hub === hubs[0] ? 0 : 4);
});

test("MH63: what a hub that is gone used is free within a second", async () => {
  const { clock, hubs, agents } = await threeHubs({ callsPerPrincipal: 4 }, { answers: false });
  const [, b, c] = agents as [AgentSession, AgentSession, AgentSession];
  for (let count = 0; count < 4; count++) track(b);
  await clock.advance(tellTime);
  expect(await callFor(c)).toContain("callsPerPrincipal");
  await hubs[1].cluster.close();
  await clock.advance(second + tellTime);
  expect(await callFor(c)).toBeUndefined();
});

test("MH63: a hub that comes later knows within a second what is used", async () => {
  const { clock, hub, agents } = await threeHubs({ callsPerPrincipal: 4 }, { answers: false });
  const [a] = agents as [AgentSession];
  for (let count = 0; count < 4; count++) track(a);
  await clock.advance(10 * second);
  const late = hub("late");
  await clock.advance(second);
  expect(await callFor(late.agent())).toContain("callsPerPrincipal");
});

test("MH64: hubs tell of use four times a second at most, whatever the rate of calls, and forget principals that use little", async () => {
  const { clock, hubs, agents, broker } = await threeHubs({ callBurstPerPrincipal: 10_000 });
  const told = () => broker.sent.filter(({ message }) => Buffer.from(message).includes('"counted"')).length;
  const before = told();
  for (let at = 0; at < second; at += 10) {
    for (const agent of agents) for (let count = 0; count < 10; count++) track(agent);
    await clock.advance(10);
  }
  expect(told() - before).toBeGreaterThan(0);
  expect(told() - before).toBeLessThanOrEqual(4 * names.length);
  await clock.advance(second);
  const after = told();
  await clock.advance(minute);
  expect([told() - after, ...hubs.map(({ use }) => use.size)]).toEqual([0, 0, 0, 0]);
});

/** A hub's use, alone with a bus that a test plays. */
function startUse() {
  const clock = createFakeClock();
  const use = new HubsUse({ clock, limits: defaultLimits });
  const told: JsonObject[][] = [];
  let hear: (value: JsonObject, from: string) => void = () => {};
  let join: (hub: string) => void = () => {};
  const bus = {
    isUp: true,
    others: { has: () => true },
    tell: (_: string, { use: all }: JsonObject) => void told.push(all as JsonObject[]),
    on: (_: string, listener: typeof hear) => ((hear = listener), () => {}),
    onJoined: (listener: typeof join) => ((join = listener), () => {}),
  };
  use.start(bus);
  onTestFinished(() => use.close());
  return {
    clock,
    use,
    told,
    bus,
    hear: (...said: Parameters<typeof hear>) => hear(...said),
    join: (hub: string) => join(hub),
  };
}

test("MH60: a change is told after the delay also while the amounts of thousands are told again", async () => {
  const { clock, use, told, join } = startUse();
  const all = Array.from({ length: 5000 }, (_, index) => `user-${index}`);
  for (const principal of all) use.changed(principal, { answersPerPrincipal: 1 });
  await clock.advance(5 * tellTime);
  expect(new Set(told.flat().map(({ principal }) => principal)).size).toBe(all.length);
  join("b");
  use.changed("ann", { answersPerPrincipal: 2 });
  use.count("bob", "tokens", 5);
  told.length = 0;
  await clock.advance(tellTime);
  expect(told.flat().map(({ principal }) => principal)).toEqual(expect.arrayContaining(["ann", "bob"]));
  await clock.advance(5 * tellTime);
  expect(told.flat().filter(({ principal }) => principal !== "ann" && principal !== "bob").length).toBe(all.length);
  expect(Math.max(...told.map(({ length }) => length))).toBe(1000);
});

test("MH63: where a hub's messages were lost, its amounts are those that it tells from then on", async () => {
  const { use, hear, join } = startUse();
  for (const hub of ["b", "c"]) hear({ use: [{ principal: "ann", amounts: { tabsPerPrincipal: 500 } }] }, hub);
  expect(use.elsewhere("ann", "tabsPerPrincipal", 1000)).toBe(1000);
  join("b");
  expect(use.elsewhere("ann", "tabsPerPrincipal", 1000)).toBe(500);
});

test("MH64: while the bus is down a hub forgets principals that use nothing, and tells of the others once it is back", async () => {
  const { clock, use, told, bus } = startUse();
  bus.isUp = false;
  const amounts = { answersPerPrincipal: 1 };
  for (let user = 0; user < 1000; user++) {
    use.changed(`user-${user}`, {});
    use.count(`user-${user}`, "tokens", 1);
  }
  use.changed("ann", amounts);
  await clock.advance(tellTime);
  expect(use.size).toBe(1);
  bus.isUp = true;
  await clock.advance(tellTime);
  expect(told.flat()).toEqual([{ principal: "ann", amounts, counted: {} }]);
});

test("MH43: what cannot be read of another hub's use is ignored", async () => {
  const { clock, hubs, agents } = await threeHubs({ callsPerPrincipal: 4 });
  const [, b] = agents as [AgentSession, AgentSession];
  const odd = [
    null,
    "ann",
    { principal: 1, amounts: { callsPerPrincipal: 4 } },
    { principal: "ann", amounts: { callsPerPrincipal: "many", tabsPerPrincipal: -5, __proto__: 4 }, counted: [1] },
    { principal: "ann", counted: { calls: 1e6, "calls x y": 1e6, "calls -1 5": 1e6, "rule none": 5, "": 5 } },
  ];
  hubs[0].cluster.tell("use", { use: odd });
  hubs[0].cluster.tell("use", { use: "all" });
  await clock.advance(tellTime);
  expect(await callFor(b)).toBeUndefined();
  expect(hubs[1].events).not.toContain("bus-message-failed");
});
