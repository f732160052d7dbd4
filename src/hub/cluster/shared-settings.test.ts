import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { noRevocations } from "../identity/revocations.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { createOwnSettings } from "./own-settings.ts";
import { createFiles, denying } from "./ruled-hubs.test-helper.ts";
import type { Files } from "./ruled-hubs.test-helper.ts";
import { SharedSettings } from "./shared-settings.ts";

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
