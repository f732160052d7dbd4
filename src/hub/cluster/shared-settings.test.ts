import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import type { HubSettings } from "../options/options.ts";
import { noRevocations } from "../identity/revocations.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { createOwnSettings } from "./own-settings.ts";
import { createFiles, denying } from "./ruled-hubs.test-helper.ts";
import type { Files } from "./ruled-hubs.test-helper.ts";
import { SharedSettings } from "./shared-settings.ts";

/** A store whose writes wait. */
function holdWrites(store: Store) {
  const waiting: (() => void)[] = [];
  const setRecord: Store["setRecord"] = async (...record) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await store.setRecord(...record);
  };
  const goOn = async (count: number) => {
    await expect.poll(() => waiting.length).toBe(count);
    for (const write of waiting.splice(0)) write();
  };
  return { store: { ...store, setRecord }, goOn };
}

/** The settings of a hub that does not get the messages of others: it reads the store once a second. */
async function open(store: Store, { files, options }: ReturnType<typeof createFiles> = createFiles()) {
  const clock = createFakeClock();
  const events: string[] = [];
  const { settings, policy = () => undefined, revocations = () => noRevocations } = options;
  const shared = new SharedSettings({
    own: createOwnSettings({ settings, policy, revocations }),
    ...{ clock, now: () => 1_000_000 + clock.now(), isUp: () => false },
    note: (_, event) => void events.push(event),
  });
  onTestFinished(() => shared.close());
  await shared.open(store);
  shared.use(store, createLater(clock));
  const edit = async (change: (files: Files) => void) => {
    files.edit(change);
    shared.look();
    await shared.saved();
  };
  return { shared, clock, files, events, edit, read: () => clock.advance(1000) };
}

const names = async (store: Store) =>
  [...(await store.records("settings", "")).values()].map(({ name, value }) => [name, value]);

test("MH51: what the database has lost, it gets again", async () => {
  const store = createMemoryStore();
  const a = await open(store, createFiles({ text: denying("work") }));
  await a.edit(({ ids }) => void ids.add("one"));
  for (const key of (await store.records("settings", "")).keys()) await store.setRecord("settings", key, undefined);
  await a.read();
  await a.shared.saved();
  expect(new Map((await names(store)) as [string, string][]).get("id one")).toBe("");
  expect(a.shared.policy?.rules).toHaveLength(1);
  expect(a.files.ids.has("one")).toBe(true);
});

test("MH51: what a program revokes in code counts at all, and nobody takes it back", async () => {
  const store = createMemoryStore();
  const ids = new Set(["by-program"]);
  const program = createFiles();
  const options = { revocations: () => ({ ids: new Set(ids), subjects: new Map<string, number>() }) };
  const a = await open(store, { files: program.files, options });
  const b = await open(store);
  expect([...b.files.ids]).toEqual(["by-program"]);
  await b.edit((files) => {
    files.ids.delete("by-program");
    files.ids.add("by-command");
  });
  await a.read();
  expect([...a.shared.revocations.ids].toSorted()).toEqual(["by-command", "by-program"]);
  ids.delete("by-program");
  a.shared.look();
  expect([...a.shared.revocations.ids]).toEqual(["by-command"]);
});

test("MH54: a policy of the database that this hub cannot use leaves its own in force, and is reported once", async () => {
  const store = createMemoryStore();
  const a = await open(store, createFiles({ text: denying("work") }));
  const [key = ""] = (await store.records("settings", "")).keys();
  const record = { principal: "", name: "policy", at: 5, value: '{ "rules": [{ "newer": true }] }' };
  await store.setRecord("settings", key, record);
  await a.read();
  await a.read();
  expect([a.shared.policy?.rules.length, a.files.text, a.events]).toEqual([1, denying("work"), ["policy-refused"]]);
  expect((await store.record("settings", key))?.["value"]).toBe(record.value);
});

test("MH52: a change counts over one that it followed, also where its hub's clock is behind", async () => {
  const store = createMemoryStore();
  const ahead = { principal: "", name: "policy", at: 9_000_000_000_000, value: denying("work") };
  await store.setRecord("settings", "k", ahead);
  const a = await open(store);
  expect(a.files.text).toBe(denying("work"));
  await a.edit((files) => void (files.text = denying("other")));
  await a.read();
  expect(a.files.text).toBe(denying("other"));
});

test("MH53: what was changed and then changed elsewhere, before it could be saved, is what was changed last", async () => {
  const store = createMemoryStore();
  const failing = createFailingStore(store);
  const a = await open(failing);
  const b = await open(store);
  failing.failure = "away";
  a.files.edit((files) => void (files.text = denying("first")));
  a.shared.look();
  await expect(a.shared.saved()).rejects.toMatchObject({ code: "not-saved" });
  expect(a.shared.policy?.rules).toHaveLength(1);
  await b.clock.advance(5000);
  await b.edit((files) => void (files.text = denying("second")));
  failing.failure = undefined;
  await a.clock.advance(15_000);
  expect([a.files.text, b.files.text]).toEqual([denying("second"), denying("second")]);
});

test("MH52: what a hub writes late, since it slept, undoes no later change of another", async () => {
  const store = createMemoryStore();
  const sleeping = holdWrites(store);
  const b = await open(store);
  await b.edit(({ ids }) => void ids.add("one"));
  const a = await open(sleeping.store);
  a.files.edit(({ ids }) => void ids.delete("one"));
  a.shared.look();
  const saved = a.shared.saved();
  await b.clock.advance(5000);
  await b.edit(({ ids }) => void ids.delete("one"));
  await b.edit(({ ids }) => void ids.add("one"));
  await sleeping.goOn(1);
  await saved;
  await b.read();
  await b.shared.saved();
  await a.read();
  expect([a, b].map(({ shared, files }) => [shared.revocations.ids.has("one"), files.ids.has("one")])).toEqual([
    [true, true],
    [true, true],
  ]);
});

test("MH52: of a subject that is revoked again, the later time is there before the earlier one is not", async () => {
  const store = createMemoryStore();
  const held = holdWrites(store);
  const before = await open(store);
  await before.edit(({ subjects }) => void subjects.set("ann", 5000));
  const a = await open(held.store);
  a.files.edit(({ subjects }) => void subjects.set("ann", 6000));
  a.shared.look();
  await held.goOn(1);
  await before.read();
  expect(before.shared.revocations.subjects.get("ann")).toBe(6000);
  await held.goOn(1);
  await a.shared.saved();
  await before.read();
  expect(before.shared.revocations.subjects.get("ann")).toBe(6000);
});

test("MH50: a revocation does not wait until a hub has brought ten thousand origins to the others", async () => {
  const store = createMemoryStore();
  const held = holdWrites(store);
  const a = await open(store);
  const b = await open(held.store);
  b.files.edit(({ origins }) => {
    for (let count = 0; count < 10_000; count++) origins.add(`https://${count}.example`);
  });
  b.shared.look();
  const group = 50;
  await expect.poll(() => b.shared.origins.length).toBe(10_001);
  await a.edit(({ ids }) => void ids.add("one"));
  await b.clock.advance(1000);
  await held.goOn(group);
  await expect.poll(() => b.shared.revocations.ids.has("one") && b.files.ids.has("one")).toBe(true);
  expect((await names(store)).length).toBeLessThan(10_000);
});

test("MH50: what another process revokes while a hub writes its files is in force, and nothing takes it back", async () => {
  const store = createMemoryStore();
  const own = createFiles();
  const { settings } = own.options;
  if (!settings?.changeOrigins) throw new Error("There are files.");
  const { changeOrigins } = settings;
  const changing: HubSettings = {
    ...settings,
    changeOrigins(edit) {
      own.files.ids.add("meanwhile");
      own.files.subjects.set("ann", 9000);
      changeOrigins(edit);
    },
  };
  const a = await open(store, { files: own.files, options: { ...own.options, settings: changing } });
  const b = await open(store);
  await b.edit(({ origins, subjects }) => void (origins.add("https://other.example"), subjects.set("ann", 7000)));
  await a.read();
  await a.shared.saved();
  await b.read();
  for (const { shared, files } of [a, b]) {
    expect([...shared.revocations.ids, ...shared.revocations.subjects]).toEqual(["meanwhile", ["ann", 9000]]);
    expect([...files.ids, ...files.subjects]).toEqual(["meanwhile", ["ann", 9000]]);
    expect(shared.origins).toContain("https://other.example");
  }
});

test("MH54: another hub's policy is in force where the own file can neither be used nor written, until that changes", async () => {
  const store = createMemoryStore();
  const [a, b] = [await open(store, createFiles({ text: denying("work") })), await open(store)];
  a.files.edit((files) => void ((files.text = "{"), (files.fault = "It is read-only.")));
  a.shared.look();
  expect(() => a.shared.policy).toThrow();
  await b.edit((files) => void (files.text = denying("other")));
  for (let count = 0; count < 3; count++) {
    await a.read();
    expect(JSON.stringify(a.shared.policy)).toContain("other");
  }
  a.files.edit((files) => void ((files.text = '{ "rules": 7 }'), (files.fault = undefined)));
  a.shared.look();
  expect(() => a.shared.policy).toThrow();
});

test("MH50: what a program revokes counts at its next use, and at all without a word of the program", async () => {
  const store = createMemoryStore();
  const { files } = createFiles();
  const revoked = { ids: new Set<string>(), subjects: new Map([["ann", 1000]]) };
  const a = await open(store, { files, options: { revocations: () => revoked } });
  const b = await open(store);
  revoked.ids.add("one");
  expect(a.shared.revocations.ids.has("one")).toBe(true);
  revoked.subjects.set("ann", 2000);
  await a.read();
  await a.shared.saved();
  await b.read();
  expect([...b.shared.revocations.ids, ...b.shared.revocations.subjects]).toEqual(["one", ["ann", 2000]]);
});
