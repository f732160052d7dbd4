import { expect, test } from "vitest";
import { systemClock } from "../../link/index.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import type { RecordChange, Store } from "../store/index.ts";
import { People } from "./people.ts";

type Listener = (change: RecordChange | undefined) => void;

/** Views of one store, of which each learns what the others write. */
function shared(count: number): readonly Store[] {
  const store = createMemoryStore();
  const listeners = Array.from({ length: count }, () => new Set<Listener>());
  return listeners.map((own) => {
    const tell = (change: RecordChange) => {
      for (const others of listeners) if (others !== own) for (const listener of others) listener(change);
    };
    return {
      ...store,
      async setRecord(kind, key, record) {
        await store.setRecord(kind, key, record);
        tell({ kind, key, principal: record?.principal });
      },
      async replaceRecord(kind, key, change) {
        const isReplaced = await store.replaceRecord(kind, key, change);
        if (isReplaced) tell({ kind, key, principal: change.after.principal });
        return isReplaced;
      },
      onChanged: (listener) => void own.add(listener),
    } satisfies Store;
  });
}

function directories(stores: readonly Store[]) {
  const changes: number[] = stores.map(() => 0);
  const people = stores.map((store, at) => {
    const onChanged = () => void (changes[at] = (changes[at] ?? 0) + 1);
    const later = createLater(systemClock);
    return new People({ store, later, now: () => 5_000_000, onNotSaved: () => {}, onChanged });
  });
  return { people, changes };
}

const claims = (...groups: readonly string[]) => ({ groups, isAdmin: false });
const second = 1000;

test("TM2: the newest claims of a person hold at all hubs, whichever hub got them, and in whatever order", async () => {
  const { people, changes } = directories(shared(3));
  const [a, b, c] = people as [People, People, People];
  await a.note("acme/ada", claims("old"), 10 * second);
  for (const each of [b, c]) expect(await each.load("acme/ada")).toMatchObject({ groups: ["old"] });
  await b.note("acme/ada", claims("new"), 20 * second);
  await c.note("acme/ada", claims("older"), 15 * second);
  for (const each of people) await expect.poll(() => each.known("acme/ada")?.groups).toEqual(["new"]);
  expect(changes.every((count) => count >= 1)).toBe(true);
});

test("TM2: claims that were the same are newer than others that come late, though nothing was written of them", async () => {
  const { people } = directories(shared(2));
  const [a, b] = people as [People, People];
  await a.note("acme/ada", claims("staff"), 10 * second);
  await b.load("acme/ada");
  await a.note("acme/ada", claims("staff"), 30 * second);
  await b.note("acme/ada", claims("left"), 20 * second);
  for (const each of people) await expect.poll(() => each.known("acme/ada")?.groups).toEqual(["staff"]);
});

test("TM2: two hubs that note claims at the same time agree afterwards", async () => {
  const { people } = directories(shared(2));
  const [a, b] = people as [People, People];
  await Promise.all([
    a.note("acme/ada", claims("one"), 10 * second),
    b.note("acme/ada", claims("two"), 11 * second),
    a.note("acme/ada", claims("three"), 9 * second),
  ]);
  for (const each of people) await expect.poll(() => each.known("acme/ada")?.groups).toEqual(["two"]);
});

test("TM2: claims that cannot be saved hold at this hub", async () => {
  const [store] = shared(1) as [Store];
  let failures = 0;
  const people = new People({
    store: { ...store, setRecord: () => Promise.reject(new Error("full")) },
    ...{ later: createLater(systemClock), now: Date.now, onChanged: () => {}, onNotSaved: () => failures++ },
  });
  await people.note("acme/ada", claims("staff"), second);
  expect([people.known("acme/ada")?.groups, failures]).toEqual([["staff"], 1]);
  expect(people.known("local")).toBeUndefined();
  expect(await people.find("globex", "acme/ada")).toBeUndefined();
});
