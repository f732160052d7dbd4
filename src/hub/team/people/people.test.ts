import { expect, test } from "vitest";
import { systemClock } from "../../../link/index.ts";
import { createLater, createMemoryStore } from "../../store/index.ts";
import type { RecordChange, Store } from "../../store/index.ts";
import type { RootCredentials } from "../../guard/root-credentials.ts";
import { withAccess } from "../with-access.ts";
import { Access } from "./access.ts";
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
        if (isReplaced) tell({ kind, key, principal: change.after?.principal });
        return isReplaced;
      },
      onChanged: (listener) => void own.add(listener),
    } satisfies Store;
  });
}

function directories(stores: readonly Store[], maxKnown?: number) {
  const changes: number[] = stores.map(() => 0);
  const people = stores.map((store, at) => {
    const onChanged = () => void (changes[at] = (changes[at] ?? 0) + 1);
    const later = createLater(systemClock);
    return new People({ store, later, now: Date.now, onNotSaved: () => {}, onChanged, ...(maxKnown && { maxKnown }) });
  });
  return { people, changes };
}

const claims = (...groups: readonly string[]) => ({ groups, isAdmin: false });
const second = 1000;

test("TM2: the newest claims of a person hold at all hubs, from any hub and in any order", async () => {
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
    store: { ...store, replaceRecord: () => Promise.reject(new Error("full")) },
    ...{ later: createLater(systemClock), now: Date.now, onChanged: () => {}, onNotSaved: () => failures++ },
  });
  await people.note("acme/ada", claims("staff"), second);
  expect([people.known("acme/ada")?.groups, failures]).toEqual([["staff"], 1]);
  expect(people.known("local")).toBeUndefined();
  expect(await people.find("globex", "acme/ada")).toBeUndefined();
});

test("TM4: a block whose message was lost holds once the hub reads again", async () => {
  const store = createMemoryStore();
  const open = async () => {
    const access = new Access({
      ...{ store: { ...store, onChanged: () => {} }, later: createLater(systemClock), now: Date.now },
      ...{ onNotSaved: () => {}, onChanged: () => changes++ },
    });
    await access.load();
    return access;
  };
  let changes = 0;
  const [a, b] = [await open(), await open()];
  await a.block("acme/ada");
  changes = 0;
  expect(b.isBlocked("acme/ada")).toBe(false);
  b.readAgain();
  await expect.poll(() => b.refusedBefore("acme/ada")).toBe(Infinity);
  expect(changes).toBe(1);
  b.readAgain();
  await b.unblock("acme/ada");
  expect([b.isBlocked("acme/ada"), changes]).toEqual([false, 2]);
});

test("people who are connected stay in memory: a review of what is open asks about them", async () => {
  const { people } = directories(shared(1), 2);
  const [one] = people as [People];
  const access = { isBlocked: () => false, refusedBefore: () => undefined };
  const base = { isStillGood: () => true } as Partial<RootCredentials> as RootCredentials;
  const { isStillGood } = withAccess(base, { access, people: one, keys: { isEnded: () => false }, serves: () => true });
  await one.note("acme/ada", claims("staff"), second);
  for (let count = 0; count < 4; count++) {
    expect(isStillGood({ principal: "acme/ada", credential: "token" })).toBe(true);
    await one.note(`acme/${count}`, claims(), second);
  }
  expect(one.known("acme/ada")?.groups).toEqual(["staff"]);
  expect(one.known("acme/1")).toBeUndefined();
});

test("somebody who never was a member is not kept, and one who was is known as none at all hubs", async () => {
  const stores = shared(2);
  const { people, changes } = directories(stores);
  const [a, b] = people as [People, People];
  await a.note("acme/eve", { ...claims("guests"), isMember: false }, second);
  expect([await b.load("acme/eve"), await stores[0]?.records("people", "acme")]).toEqual([undefined, new Map()]);
  await a.note("acme/ada", { ...claims("staff"), isMember: true }, second);
  expect(await b.load("acme/ada")).toMatchObject({ isMember: true });
  await a.note("acme/ada", { ...claims("guests"), isMember: false }, 2 * second);
  await expect.poll(() => b.known("acme/ada")?.isMember).toBe(false);
  expect(changes).toEqual([1, 1]);
});

test("when somebody's provider last answered is kept, also if the answer is the same each time", async () => {
  const [store] = shared(1) as [Store];
  let now = 0;
  const open = () =>
    new People({ store, later: createLater(systemClock), now: () => now, onNotSaved: () => {}, onChanged: () => {} });
  const people = open();
  for (; now < 3_600_000; now += 20_000) await people.note("acme/ada", claims("staff"), now);
  const { claimedAt = 0, seenAt = 0 } = (await open().load("acme/ada")) ?? {};
  expect([claimedAt, seenAt].every((at) => now - at <= 10 * 60_000)).toBe(true);
});

test("people beyond what fits into memory leave it, those of the largest organisation first", async () => {
  const { people } = directories(shared(1), 4);
  const [one] = people as [People];
  await one.note("globex/eve", claims("staff"), second);
  for (let count = 0; count < 4; count++) await one.note(`acme/${count}`, claims(), second);
  expect(one.known("acme/3")).toBeDefined();
  expect(one.known("acme/0")).toBeUndefined();
  expect(one.known("globex/eve")?.groups).toEqual(["staff"]);
  expect(await one.load("acme/0")).toMatchObject({ id: "acme/0" });
});
