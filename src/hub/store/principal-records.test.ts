import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { createFailingStore } from "./test-support/failing-store.test-helper.ts";
import { createLater } from "./later.ts";
import { createPrincipalRecords } from "./principal-records.ts";
import type { RecordChange, Store } from "./port/store.ts";

interface Named {
  readonly principal: string;
  readonly name: string;
}

const kind = "consents";
const change = (key: string, name: string, principal = "ada") => ({ key, principal, value: { principal, name } });
const gone = (key: string, principal = "ada") => ({ key, principal, value: undefined });

function setUp(given?: Partial<Store>) {
  const store = Object.assign(createFailingStore(), given);
  const clock = createFakeClock();
  const setting = { store, clock, notSaved: 0 };
  const records = createPrincipalRecords<Named>({
    store,
    kind,
    later: createLater(clock),
    maxPrincipals: 2,
    parse: (_, { principal, name }) => (typeof name === "string" ? { principal, name } : undefined),
    toRecord: ({ principal, name }) => ({ principal, name }),
    onNotSaved: () => setting.notSaved++,
  });
  const namesOf = async (principal = "ada") => [...(await records.of(principal)).values()].map(({ name }) => name);
  const kept = async (principal = "ada") =>
    [...(await store.records(kind, principal)).values()].map((one) => one["name"]);
  return Object.assign(setting, { records, namesOf, kept });
}

test("the records of a limited number of principals are cached, and evicted ones are read again", async () => {
  const { store, records, namesOf } = setUp();
  for (const principal of ["ada", "bob", "eve"]) await records.save(change(principal, "one", principal));
  for (const principal of ["ada", "bob", "eve"]) expect(await namesOf(principal)).toEqual(["one"]);
  expect(["ada", "bob", "eve"].map((principal) => records.known(principal) !== undefined)).toEqual([false, true, true]);
  await store.setRecord(kind, "ada", { principal: "ada", name: "two" });
  expect(await namesOf("ada")).toEqual(["two"]);
  expect(await records.find("bob")).toEqual({ principal: "bob", name: "one" });
  expect(await records.find("nobody")).toBeUndefined();
});

test("what changes while records are read is in what was read", async () => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const store = createFailingStore();
  await store.setRecord(kind, "b", { principal: "ada", name: "old" });
  const { records, namesOf } = setUp({
    ...store,
    records: (...asked) => store.records(...asked).then((found) => held.then(() => found)),
  });
  const reading = namesOf();
  await records.save(change("a", "saved"));
  await records.hold(gone("b"));
  records.note(change("c", "noted"));
  goOn();
  expect(await reading).toEqual(["saved", "noted"]);
});

/** Another hub's change of a record. */
function createElsewhere() {
  const listeners: ((change: RecordChange | undefined) => void)[] = [];
  return {
    onChanged: (listener: (change: RecordChange | undefined) => void) => void listeners.push(listener),
    tell: (change?: RecordChange) => listeners.forEach((listener) => listener(change)),
  };
}

test("what another hub changed is read again at once, and what was known counts until then", async () => {
  const elsewhere = createElsewhere();
  const { store, clock, records, namesOf } = setUp({ onChanged: elsewhere.onChanged });
  await records.save(change("a", "old"));
  await namesOf();
  await store.setRecord(kind, "a", { principal: "ada", name: "new" });
  elsewhere.tell({ kind: "pins", key: "a", principal: "ada" });
  expect(await namesOf()).toEqual(["old"]);
  elsewhere.tell({ kind, key: "a", principal: "ada" });
  expect([...(records.known("ada")?.values() ?? [])]).toEqual([{ principal: "ada", name: "old" }]);
  expect(await namesOf()).toEqual(["new"]);
  await store.setRecord(kind, "a", undefined);
  elsewhere.tell({ kind, key: "a" });
  expect(await namesOf()).toEqual([]);
  await store.setRecord(kind, "b", { principal: "ada", name: "lost" });
  elsewhere.tell();
  expect(await namesOf()).toEqual(["lost"]);
  await clock.advance(0);
});

test("a change that comes while they are read makes another read; own changes meanwhile stay", async () => {
  const elsewhere = createElsewhere();
  const store = createFailingStore();
  const waiting: (() => void)[] = [];
  const { records, namesOf } = setUp({
    ...store,
    ...elsewhere,
    records: async (...asked) => {
      const found = await store.records(...asked);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return found;
    },
  });
  const goOn = async () => {
    await expect.poll(() => waiting.length).toBe(1);
    waiting.pop()?.();
  };
  const reading = namesOf();
  await goOn();
  expect(await reading).toEqual([]);
  elsewhere.tell({ kind, key: "a", principal: "ada" });
  await expect.poll(() => waiting.length).toBe(1);
  await store.setRecord(kind, "a", { principal: "ada", name: "theirs" });
  elsewhere.tell({ kind, key: "a", principal: "ada" });
  await records.save(change("b", "ours"));
  await goOn();
  await goOn();
  await expect.poll(() => namesOf()).toEqual(["theirs", "ours"]);
});

test("a record that another hub deletes while its principal's are read for the first time is not kept", async () => {
  const elsewhere = createElsewhere();
  const store = createFailingStore();
  await store.setRecord(kind, "a", { principal: "ada", name: "gone" });
  const waiting: (() => void)[] = [];
  const { namesOf } = setUp({
    ...store,
    ...elsewhere,
    records: async (...asked) => {
      const found = await store.records(...asked);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return found;
    },
  });
  const reading = namesOf();
  await expect.poll(() => waiting.length).toBe(1);
  await store.setRecord(kind, "a", undefined);
  elsewhere.tell({ kind, key: "a" });
  waiting.pop()?.();
  await reading;
  await expect.poll(() => waiting.length).toBe(1);
  waiting.pop()?.();
  await expect.poll(() => namesOf()).toEqual([]);
});

test("while the store cannot be read, what was known counts, and is read again later", async () => {
  const elsewhere = createElsewhere();
  const { store, clock, records, namesOf } = setUp({ onChanged: elsewhere.onChanged });
  await records.save(change("a", "old"));
  await namesOf();
  await store.setRecord(kind, "a", { principal: "ada", name: "new" });
  Object.assign(store, { failure: "away", failsToRead: true });
  elsewhere.tell({ kind, key: "a", principal: "ada" });
  expect(await namesOf()).toEqual(["old"]);
  Object.assign(store, { failure: undefined });
  await clock.advance(15_000);
  expect([...(records.known("ada")?.values() ?? [])]).toEqual([{ principal: "ada", name: "new" }]);
  expect(clock.pending).toBe(0);
});

test("a touch that another hub's change overtakes is dropped: what was ended stays ended", async () => {
  const { store, records, kept } = setUp();
  for (const name of ["ended", "changed"]) await records.save(change(name, name));
  for (const theirs of [undefined, { principal: "ada", name: "theirs" }]) {
    const key = theirs ? "changed" : "ended";
    await records.touch({ key, principal: "ada" }, ({ name, ...rest }) => {
      void store.setRecord(kind, key, theirs);
      return { ...rest, name: `${name}!` };
    });
  }
  expect(await kept()).toEqual(["theirs"]);
});

test("a record that is only touched is changed as the store has it, and one that another hub has ended stays so", async () => {
  const { store, records, kept } = setUp();
  for (const key of ["a", "b"]) await records.save(change(key, key));
  await records.of("ada");
  await store.setRecord(kind, "a", { principal: "ada", name: "theirs" });
  await store.setRecord(kind, "b", undefined);
  for (const key of ["a", "b"])
    await records.touch({ key, principal: "ada" }, ({ name, ...rest }) => ({ ...rest, name: `${name}!` }));
  expect(await kept()).toEqual(["theirs!"]);
  store.failure = "full";
  await expect(records.hold(gone("a"))).rejects.toMatchObject({ code: "not-saved" });
  store.failure = undefined;
  await records.touch({ key: "a", principal: "ada" }, (value) => value);
  expect(records.known("ada")?.has("a")).toBe(false);
});

test("a record that another hub has just added is found, whatever is in memory of its principal", async () => {
  const { store, records, namesOf } = setUp();
  await namesOf();
  await store.setRecord(kind, "new", { principal: "ada", name: "new" });
  expect(await records.find("new")).toEqual({ principal: "ada", name: "new" });
});

test("what is not saved holds, also after it was let go, and the last change is the one that is written", async () => {
  const { store, clock, records, namesOf, kept } = setUp();
  await records.save(change("a", "first"));
  store.failure = "full";
  const failed = { code: "not-saved" };
  await expect(records.hold(change("a", "second"))).rejects.toMatchObject(failed);
  await expect(records.hold(change("a", "third"))).rejects.toMatchObject(failed);
  await expect(records.hold(change("b", "new"))).rejects.toMatchObject(failed);
  for (const other of ["bob", "eve", "joe"]) await namesOf(other);
  expect([await namesOf(), await kept()]).toEqual([["third", "new"], ["first"]]);
  store.failure = undefined;
  await clock.advance(15_000);
  expect([await kept(), clock.pending]).toEqual([["third", "new"], 0]);
});

test("a change that must be saved and cannot be changes nothing, and what was held goes on", async () => {
  const setting = setUp();
  const { store, clock, records, namesOf, kept } = setting;
  store.failure = "full";
  await expect(records.save(change("a", "x"))).rejects.toMatchObject({ code: "not-saved" });
  expect([await namesOf(), setting.notSaved]).toEqual([[], 1]);
  await expect(records.hold(change("a", "held"))).rejects.toMatchObject({ code: "not-saved" });
  await expect(records.save(change("a", "y"))).rejects.toMatchObject({ code: "not-saved" });
  expect(await namesOf()).toEqual(["held"]);
  store.failure = undefined;
  await records.save(change("a", "z"));
  await clock.advance(60_000);
  expect([await namesOf(), await kept()]).toEqual([["z"], ["z"]]);
});

test("changes of one record are written one after the other, in their order", async () => {
  const store = createFailingStore();
  const waiting: (() => void)[] = [];
  const setRecord: Store["setRecord"] = async (...record) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await store.setRecord(...record);
  };
  const { records, namesOf, kept, clock } = setUp({ ...store, setRecord });
  const all = [records.hold(change("a", "1")), records.save(change("a", "2")), records.hold(change("a", "3"))];
  for (let n = 0; n < 3; n++) {
    await clock.advance(0);
    expect(waiting.length).toBeLessThanOrEqual(1);
    waiting.pop()?.();
  }
  await Promise.all(all);
  expect([await namesOf(), await kept()]).toEqual([["3"], ["3"]]);
});
