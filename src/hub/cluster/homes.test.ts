import { expect, onTestFinished, test } from "vitest";

import type { FakeClock } from "../../testing/index.ts";
import { createMemoryStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import type { Cluster } from "./cluster.ts";
import { Homes } from "./homes.ts";
import type { Hold } from "./homes.ts";
import { createMemoryHubs } from "./memory-hubs.test-helper.ts";

function setUp() {
  const hubs = createMemoryHubs();
  const store = createMemoryStore({ now: hubs.clock.now });
  const start = (name: string) => {
    const { cluster, bus } = hubs.hub(name);
    return { ...startHomes(store, cluster, hubs.clock), cluster, bus };
  };
  return { ...hubs, store, start };
}

function startHomes(store: Store, cluster: Cluster, clock: FakeClock) {
  /** The database, while this hub can reach it. */
  const database = { isUp: true };
  const reach = <Result>(use: () => Promise<Result>) => (database.isUp ? use() : Promise.reject(new Error("away")));
  const homes = new Homes({
    store: {
      take: (...given) => reach(() => store.homes.take(...given)),
      find: (...given) => reach(() => store.homes.find(...given)),
      leave: (...given) => reach(() => store.homes.leave(...given)),
    },
    ...{ cluster, clock },
  });
  onTestFinished(() => homes.close());
  const lost: string[] = [];
  const hold = (name: string) => homes.hold(name, () => lost.push(name));
  const own = async (name: string): Promise<Hold> => {
    const found = await hold(name);
    if (typeof found === "string") throw new Error(`${name} is at ${found}.`);
    return found;
  };
  return { homes, hold, own, lost, database };
}

const second = 1000;

test("MH70: of two hubs that want a thing one has it, and the other says so, until all its holds are closed", async () => {
  const { clock, start } = setUp();
  const [a, b] = [start("a"), start("b")];
  await clock.advance(second);
  const [one, two] = await Promise.all([a.own("x"), a.own("x")]);
  expect([await b.hold("x"), await b.homes.elsewhere("x"), await a.homes.elsewhere("x")]).toEqual([
    a.cluster.id,
    a.cluster.id,
    undefined,
  ]);
  one.close();
  one.close();
  expect(await b.hold("x")).toBe(a.cluster.id);
  two.close();
  const held = await b.own("x");
  expect([await held.check(), await a.hold("x")]).toEqual([true, b.cluster.id]);
});

test("MH70: a hold that begins while the last one is closed keeps the thing", async () => {
  const { clock, store, start } = setUp();
  const a = start("a");
  await clock.advance(second);
  const first = await a.own("x");
  first.close();
  const next = await a.own("x");
  expect([await store.homes.find("x"), await next.check()]).toEqual([a.cluster.id, true]);
});

test("MH71: the thing of a hub that is gone is taken, and not before it counts as gone", async () => {
  const { clock, start } = setUp();
  const [a, b] = [start("a"), start("b")];
  await clock.advance(second);
  await a.own("x");
  a.bus.setUp(false);
  await clock.advance(2 * second);
  expect(await b.hold("x")).toBe(a.cluster.id);
  await clock.advance(2 * second);
  expect(typeof (await b.hold("x"))).toBe("object");
});

test("MH71: a hub that starts takes nothing of a hub that it has not met yet, but may", async () => {
  const { clock, start, store } = setUp();
  const a = start("a");
  await clock.advance(10 * second);
  await a.own("x");
  await store.homes.take("y", "long gone");
  const b = start("b");
  const found: unknown[] = [];
  for (const name of ["x", "y"]) void b.hold(name).then((hold) => found.push(typeof hold));
  await clock.advance(2 * second);
  expect(found).toEqual(["string"]);
  await clock.advance(2 * second);
  expect(found).toEqual(["string", "object"]);
  expect(await b.hold("x")).toBe(a.cluster.id);
});

test("MH72: a hub that was cut off loses what another took, and keeps the rest", async () => {
  const { clock, start } = setUp();
  const [a, b] = [start("a"), start("b")];
  await clock.advance(second);
  const [x] = [await a.own("x"), await a.own("y")];
  a.bus.setUp(false);
  await clock.advance(5 * second);
  await b.own("x");
  await clock.advance(2 * second);
  expect([a.lost, await x.check()]).toEqual([["x"], false]);
  x.close();
  a.bus.setUp(true);
  await clock.advance(5 * second);
  expect([await a.hold("x"), await b.hold("y")]).toEqual([b.cluster.id, a.cluster.id]);
});

test("MH72: a hub without the bus takes nothing of others, and begins things of its own", async () => {
  const { clock, start } = setUp();
  const [a, b] = [start("a"), start("b")];
  await clock.advance(second);
  await b.own("x");
  a.bus.setUp(false);
  await clock.advance(10 * second);
  await expect(a.hold("x")).rejects.toMatchObject({ code: "bus-unavailable" });
  expect(typeof (await a.hold("y"))).toBe("object");
});

test("MH75: a hub that others gave up does not have what the database cannot say; one that they know does", async () => {
  const { clock, start } = setUp();
  const [a, b] = [start("a"), start("b")];
  await clock.advance(second);
  const [x, y] = [await a.own("x"), await b.own("y")];
  a.database.isUp = b.database.isUp = false;
  a.bus.setUp(false);
  await clock.advance(5 * second);
  b.database.isUp = true;
  const taken = await b.own("x");
  expect([await x.check(), await taken.check()]).toEqual([false, true]);
  b.database.isUp = false;
  a.bus.setUp(true);
  await clock.advance(5 * second);
  expect([await x.check(), await taken.check(), await y.check()]).toEqual([false, true, true]);
});

/** Pseudorandom numbers, the same for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test.each(Array.from({ length: 20 }, (_, seed) => seed))(
  "MH70: at most one hub has a thing while buses and databases come and go (%i)",
  async (seed) => {
    const random = createRandom(seed);
    const { clock, start } = setUp();
    const all = ["a", "b", "c"].map((name) => ({ ...start(name), holds: new Map<string, Hold>() }));
    await clock.advance(5 * second);
    for (let step = 0; step < 150; step++) {
      const hub = all[random(all.length)];
      if (!hub) continue;
      const name = `${random(3)}`;
      const what = random(8);
      if (what === 0) hub.bus.setUp(!hub.bus.isUp);
      else if (what === 1) hub.database.isUp = !hub.database.isUp;
      else if (what === 2) hub.holds.get(name)?.close();
      else
        void hub.hold(name).then(
          (found) => typeof found === "object" && hub.holds.set(name, found),
          () => {},
        );
      if (what === 2) hub.holds.delete(name);
      await clock.advance(random(4) === 0 ? 2 * second : 50);
      for (const thing of ["0", "1", "2"]) {
        const has = await Promise.all(all.map(async (each) => (await each.holds.get(thing)?.check()) ?? false));
        expect(has.filter(Boolean).length, `${thing} after step ${step}`).toBeLessThan(2);
      }
    }
  },
);
