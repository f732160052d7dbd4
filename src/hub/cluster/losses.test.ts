// Messages that are lost on the way between hubs that are up. A day of three hubs is played, with losses; then all hubs have
// to know the same, and each call has one outcome that is true.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentSession } from "../../switchboard/index.ts";
import { createRandom } from "../../../test/chaos/random.ts";
import { parseMessages } from "./messages.ts";
import { createMemoryHubs, track } from "./memory-hubs.test-helper.ts";
import type { MemoryHub, TrackedCall } from "./memory-hubs.test-helper.ts";
import { createPlayedPage } from "./played-pages.test-helper.ts";

const second = 1000;

interface Loss {
  /** Whether a message is lost on the way to one hub. */
  readonly loses: () => boolean;
}

async function playDay({ loses }: Loss) {
  const hubs = createMemoryHubs();
  const { clock, broker } = hubs;
  const kinds: string[] = [];
  broker.loses = (message) => {
    const all = parseMessages(message).map(({ kind }) => kind);
    kinds.push(all.join(" "));
    return loses();
  };
  const [a, b, c] = [hubs.hub("a"), hubs.hub("b"), hubs.hub("c")];
  const pages = new Map(["one", "two", "three"].map((id) => [id, createPlayedPage(clock, id)]));
  const pageOf = (id: string) => pages.get(id) ?? createPlayedPage(clock, id);
  const calls: (TrackedCall & { readonly n: string })[] = [];
  const call = (agent: AgentSession, tab: string, time: number) => {
    const n = `${calls.length}`;
    const given = JSON.stringify({ n, for: time });
    const tracked = track(agent, { tab, arguments: given, left: 20 * second });
    calls.push({
      ...tracked,
      n,
      get outcome() {
        return tracked.outcome;
      },
    });
    return tracked;
  };

  await clock.advance(second);
  const atA = a.agent();
  const one = pageOf("one").at(b, true);
  const atC = c.agent();
  await clock.advance(300);
  call(atA, "one", 100);
  call(atC, "one", 5000);
  const stopped = call(atA, "one", 8000);
  await clock.advance(100);
  const two = pageOf("two").at(c);
  one.say({ type: "tab", title: "Renamed" });
  one.say(
    { type: "offer-change" },
    JSON.stringify({ add: { tools: [{ name: "more", inputSchema: { type: "object" } }] } }),
  );
  two.say({ type: "tab", focused: true });
  await clock.advance(300);
  stopped.cancel();
  call(atA, "two", 2500);
  call(atC, "two", 50);
  await clock.advance(1300);
  // It moves while calls run in it.
  one.lose();
  const moved = pageOf("one").at(c, true);
  call(atA, "one", 20);
  await clock.advance(700);
  pageOf("three").at(a);
  await clock.advance(10);
  call(atC, "three", 300);
  atC.close();
  await clock.advance(100);
  const atB = b.agent();
  await clock.advance(100);
  call(atB, "three", 1000);
  call(atB, "two", 1000);
  moved.say({ type: "tab", title: "Moved" });
  await clock.advance(1500);
  two.lose();
  call(atB, "three", 10);
  await clock.advance(500);
  return { ...hubs, all: [a, b, c], pages, calls, kinds };
}

const viewOf = (hub: MemoryHub) =>
  hub
    .agent()
    .tabs()
    .map((tab) => ({ ...tab, lastSeen: "" }))
    .sort((one, other) => one.tabId.localeCompare(other.tabId));

const runsOf = { no: [0], yes: [1], maybe: [0, 1] };

/** The state at the end of a day, once nothing has been lost for a while. */
async function expectTruth({ clock, broker, all, pages, calls }: Awaited<ReturnType<typeof playDay>>): Promise<void> {
  broker.loses = () => false;
  for (const hub of all) hub.agent();
  await clock.advance(30 * second);
  const views = all.map(viewOf);
  expect(views[0]).toMatchObject([
    { tabId: "one", title: "Moved", state: "connected", isActive: true },
    { tabId: "three", state: "connected" },
  ]);
  for (const view of views) expect(view).toEqual(views[0]);
  for (const { n, outcome } of calls) {
    const runs = [...pages.values()].reduce((sum, page) => sum + (page.runs.get(n) ?? 0), 0);
    expect(outcome, `call ${n}`).toBeDefined();
    expect(runsOf[outcome?.ran ?? "maybe"], `call ${n}: ${JSON.stringify(outcome)}`).toContain(runs);
  }
  for (const { cluster, events } of all) {
    expect(cluster.carried).toBe(0);
    expect(cluster.counts().losses).toBe(events.filter((event) => event === "hub-messages-lost").length);
  }
}

test("MH44: nothing is noticed where nothing is lost", async () => {
  const day = await playDay({ loses: () => false });
  await expectTruth(day);
  expect(day.all.flatMap(({ events }) => events).filter((event) => event === "hub-messages-lost")).toEqual([]);
  const outcomes = day.calls.map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome?.outcome !== "ok")).toMatchObject([{ outcome: "cancelled" }]);
});

test("MH44: after the loss of any one message all hubs know the same, and each call ends once and honestly", async () => {
  const { kinds } = await playDay({ loses: () => false });
  const lost = new Set<string>();
  for (const [at, kind] of kinds.entries()) {
    if (kind === "probe") continue;
    let count = 0;
    const day = await playDay({ loses: () => count++ === at });
    for (const each of kind.split(" ")) lost.add(each);
    try {
      await expectTruth(day);
    } catch (error) {
      throw new Error(`Message ${at}, "${kind}", was lost.`, { cause: error });
    }
  }
  for (const kind of ["lease", "hello", "counts", "ask", "told", "tab", "page", "off", "give", "cancel", "end"])
    expect(lost).toContain(kind);
});

test("MH44: after any losses all hubs know the same, and each call ended once and honestly", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 40 }), async (seed, share) => {
      const random = createRandom(`${seed}`);
      await expectTruth(await playDay({ loses: () => random.chance(share / 100) }));
    }),
    { numRuns: 60 },
  );
});
