import { join } from "node:path";
import { expect, test } from "vitest";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { createMemoryStore } from "./memory-store.ts";
import { openStoreTools } from "./open-store-tools.ts";
import { homeOf, homeTime, nobody } from "./port/store.ts";
import type { Store } from "./port/store.ts";
import { loadSqlite } from "./sql/sqlite-session.ts";
import {
  makeFolder,
  newKey,
  openTestStore,
  say,
  storeKinds,
  textsOf,
} from "./test-support/store-contract.test-helper.ts";

test.each(storeKinds)("%s gives a home to one hub, until that leaves it or is named as gone", async (_, create) => {
  const { homes } = await create();
  expect(await homes.find("c")).toBeUndefined();
  expect(await homes.take("c", "h1")).toBe("h1");
  expect(await homes.take("c", "h2")).toBe("h1");
  expect(await homes.take("c", "h2", "h3")).toBe("h1");
  expect(await homes.take("c", "h1", "h2")).toBe("h1");
  expect(await homes.find("c")).toBe("h1");
  expect(await homes.take("c", "h2", "h1")).toBe("h2");
  expect(await homes.take("c", "h3", "h1")).toBe("h2");
  await homes.leave("c", "h1");
  expect(await homes.find("c")).toBe("h2");
  await homes.leave("c", "h2");
  await homes.leave("c", "h2");
  expect(await homes.take("c", "h3", "h1")).toBe("h3");
});

test.each(storeKinds)("%s tells apart homes of any names", async (_, create) => {
  const { homes } = await create();
  const names = ["", "a\0", "\uD800", "\uDBFF", "x".repeat(5000), "x".repeat(5001), "sha256:", "A", "a", "__proto__"];
  for (const name of names) expect(await homes.find(name)).toBeUndefined();
  for (const [at, name] of names.entries()) expect(await homes.take(name, `h${at}`)).toBe(`h${at}`);
  for (const [at, name] of names.entries()) expect(await homes.find(name)).toBe(`h${at}`);
});

test.each(storeKinds)("a hub saves a conversation at %s only while no other has it", async (_, create) => {
  const store = await create();
  const key = newKey();
  await store.write(key, { keep: 0, messages: say("a"), hub: "h1" });
  expect(await store.homes.find(homeOf(key))).toBe("h1");
  const refused = { code: "going-away" };
  await expect(store.write(key, { keep: 1, messages: say("b"), hub: "h2" })).rejects.toMatchObject(refused);
  expect(await store.homes.take(homeOf(key), "h2", "h1")).toBe("h2");
  await expect(store.write(key, { keep: 0, messages: say("c"), hub: "h1" })).rejects.toMatchObject(refused);
  await store.write(key, { keep: 1, messages: say("d"), hub: "h2" });
  expect(await textsOf(store, key)).toEqual(["a", "d"]);
});

test.each(storeKinds)(
  "a conversation that is removed from %s at one hub is not saved by another that has it",
  async (_, create) => {
    const store = await create();
    const [key, own] = [newKey(), newKey()];
    for (const one of [key, own]) await store.write(one, { keep: 0, messages: say("a"), hub: "h1" });
    await store.remove(key, "h2");
    await store.remove(own, "h1");
    await expect(store.write(key, { keep: 0, messages: say("a", "b"), hub: "h1" })).rejects.toMatchObject({
      code: "going-away",
    });
    expect([await store.read(key), await store.homes.find(homeOf(key))]).toEqual([undefined, nobody]);
    await store.write(own, { keep: 0, messages: say("again"), hub: "h1" });
    expect(await textsOf(store, own)).toEqual(["again"]);
    expect(await store.homes.take(homeOf(key), "h3", nobody)).toBe("h3");
  },
);

test("a hub that takes a conversation reads all that the other has saved, and the other saves nothing after that", async () => {
  const database = await newDatabase();
  const [one, two] = await Promise.all([openTestStore(database), openTestStore(database)]);
  for (let round = 0; round < 20; round++) {
    const key = newKey();
    await one.write(key, { keep: 0, messages: say("0"), hub: "h1" });
    const writes = Array.from({ length: 20 }, (__, at) =>
      one.write(key, { keep: at + 1, messages: say(`${at + 1}`), hub: "h1" }),
    );
    const settled = Promise.allSettled(writes);
    await writes[round];
    expect(await two.homes.take(homeOf(key), "h2", "h1")).toBe("h2");
    const found = await textsOf(two, key);
    await settled;
    expect(await textsOf(one, key)).toEqual(found);
    expect(found?.length).toBeGreaterThan(round);
  }
});

test("of 20 hubs with one database that take a home at one time, again and again, one gets it", async () => {
  const database = await newDatabase();
  const stores = await Promise.all(Array.from({ length: 4 }, () => openTestStore(database)));
  const hubs = Array.from({ length: 5 }, () => stores).flat();
  let gone: string | undefined;
  for (let round = 0; round < 20; round++) {
    const takers = hubs.map((store, at) => store.homes.take("c", `h${round}.${at}`, gone));
    const all = new Set(await Promise.all(takers));
    expect(all.size).toBe(1);
    [gone] = all;
    expect(gone).toMatch(`h${round}.`);
    expect(await stores[round % 4]?.homes.find("c")).toBe(gone);
    if (round % 3 === 0) await stores[0]?.homes.leave("c", gone ?? "");
  }
});

test("a home that hubs take and leave at one time never has two", async () => {
  const database = await newDatabase();
  const stores = await Promise.all(Array.from({ length: 4 }, () => openTestStore(database)));
  let owner: string | undefined;
  let taken = 0;
  const takeAndLeave = async ({ homes }: Store, at: number) => {
    for (let turn = 0; turn < 20; turn++) {
      if ((await homes.take("c", `h${at}`)) !== `h${at}`) continue;
      expect(owner).toBeUndefined();
      owner = `h${at}`;
      await new Promise(setImmediate);
      owner = undefined;
      taken++;
      await homes.leave("c", `h${at}`);
    }
  };
  await Promise.all(
    Array.from({ length: 5 }, () => stores)
      .flat()
      .map(takeAndLeave),
  );
  expect(taken).toBeGreaterThan(0);
});

test("a home that was not used for a week is forgotten, and one that was taken again is not", async () => {
  const database = join(makeFolder(), "hub.db");
  const store = await openTestStore(database);
  for (const name of ["old", "again", "new"]) await store.homes.take(name, "h1");
  await store.close();
  const { DatabaseSync } = await loadSqlite();
  const file = new DatabaseSync(database, {});
  file.exec(`update homes set used = used - ${homeTime + 60_000} where name <> 'new'`);
  file.close();
  const after = await openTestStore(database);
  expect(await after.homes.take("again", "h1")).toBe("h1");
  const tools = await openStoreTools(database);
  expect((await tools.prune()).homes).toBe(1);
  await tools.close();
  const left = ["old", "again", "new"].map((name) => after.homes.find(name));
  expect(await Promise.all(left)).toEqual([undefined, "h1", "h1"]);
});

test("a store in memory forgets homes that were not used for a week", async () => {
  let time = 0;
  const { homes } = createMemoryStore({ now: () => time });
  for (const name of ["old", "again"]) await homes.take(name, "h1");
  time = homeTime;
  await homes.take("again", "h1");
  time++;
  await homes.take("new", "h1");
  const left = ["old", "again", "new"].map((name) => homes.find(name));
  expect(await Promise.all(left)).toEqual([undefined, "h1", "h1"]);
});
