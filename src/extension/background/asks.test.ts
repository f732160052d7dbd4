import { expect, test } from "vitest";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";
import type { FakeExtension } from "../fake-extension-api.test-helper.ts";
import { shownAsk } from "../messages.ts";
import type { PersonAnswer, PersonQuestion } from "../messages.ts";
import { createAsks } from "./asks.ts";
import { createStored } from "./stored.ts";

const place = { tab: 7, origin: "https://shop.example", document: "d1" };
const question = { kind: "fields", parameters: { message: "Which size?" } } as const;
const refuse = { action: "refuse" } as const;
const allow = { action: "allow", lasts: "once" } as const;

/** A worker's questions; another one over the same browser is the worker after a stop. */
function startAsks(fake: FakeExtension) {
  const delivered: [string, PersonAnswer][] = [];
  const state = { isThere: true, waiting: 0, now: 1000 };
  const asks = createAsks(fake.api, {
    session: createStored(fake.api.storage.session),
    now: () => state.now,
    titleOf: async () => "Shop",
    deliver(_, ask, answer) {
      if (state.isThere) delivered.push([ask, answer]);
      return state.isThere;
    },
    changed: (_, waiting) => (state.waiting = waiting),
  });
  fake.api.windows.onRemoved.addListener((window) => void asks.windowClosed(window));
  return { asks, delivered, state };
}

const buy = (agent: string): PersonQuestion => ({
  ...{ kind: "call", tool: "buy", description: "Buys.", destructive: false, agent },
  arguments: {},
});

const stored = async ({ api }: FakeExtension) => Object.keys(await api.storage.session.get(null));

test("a question is stored for its window, answered once, and gone with its answer and its window", async () => {
  const fake = createFakeExtension();
  const { asks, delivered, state } = startAsks(fake);
  await asks.add(place, "a", question);
  await asks.add(place, "a", question);
  const name = shownAsk("7:a");
  expect((await fake.api.storage.session.get(name))[name]).toEqual({
    ...{ tab: 7, origin: place.origin, title: "Shop", askedAt: 1000 },
    question: JSON.stringify(question),
  });
  expect([fake.windows.size, state.waiting]).toEqual([1, 1]);
  expect(await asks.answer("7:a", allow)).toBe(true);
  expect(await asks.answer("7:a", allow)).toBe(false);
  expect(delivered).toEqual([["a", allow]]);
  expect([fake.windows.size, state.waiting, await stored(fake)]).toEqual([0, 0, []]);
});

test("a window that the person closes refuses all that is asked in it", async () => {
  const fake = createFakeExtension();
  const { asks, delivered } = startAsks(fake);
  await asks.add(place, "a", question);
  await asks.add({ ...place, tab: 8 }, "b", question);
  const [window = 0] = fake.windows.keys();
  fake.closeWindow(window);
  await expect
    .poll(() => delivered)
    .toEqual([
      ["a", refuse],
      ["b", refuse],
    ]);
  await expect.poll(() => stored(fake)).toEqual([]);
});

test("a question outlives the worker, and an answer waits for a page whose port is away", async () => {
  const fake = createFakeExtension();
  await startAsks(fake).asks.add(place, "a", question);
  const { asks, delivered, state } = startAsks(fake);
  await asks.resume();
  expect(fake.windows.size).toBe(1);
  state.isThere = false;
  expect(await asks.answer("7:a", allow)).toBe(true);
  expect(delivered).toEqual([]);
  state.isThere = true;
  await asks.add(place, "a", question);
  expect(delivered).toEqual([["a", allow]]);
  expect(await stored(fake)).toEqual([]);
});

test("a window that was closed while the worker was stopped is a refusal, and a missing one is opened", async () => {
  const fake = createFakeExtension();
  await startAsks(fake).asks.add(place, "a", question);
  fake.windows.clear();
  const { asks, delivered } = startAsks(fake);
  await asks.resume();
  expect(delivered).toEqual([["a", refuse]]);
  await asks.add(place, "b", question);
  await fake.api.storage.session.remove("ask-window");
  fake.windows.clear();
  await asks.resume();
  expect(fake.windows.size).toBe(1);
});

test("questions end with their call, their document and their tab, and no tab asks without a bound", async () => {
  const fake = createFakeExtension();
  const { asks, delivered } = startAsks(fake);
  await asks.add(place, "a", question);
  await asks.over(place, "a");
  expect(await stored(fake)).toEqual([]);
  await asks.add(place, "b", question);
  await asks.drop(place.tab, { ...place, document: "d1" });
  expect(await stored(fake)).toContain("asks");
  await asks.drop(place.tab, { ...place, document: "d2" });
  expect(await stored(fake)).toEqual([]);
  for (let count = 0; count < 12; count++) await asks.add(place, `c${count}`, question);
  expect(delivered).toEqual([
    ["c10", refuse],
    ["c11", refuse],
  ]);
  await asks.drop(place.tab);
  expect([fake.windows.size, await stored(fake)]).toEqual([0, []]);
});

test.each([shownAsk("7:a"), "asks"])(
  "where the browser has no room for %s, the answer is a refusal, and nothing is left",
  async (full) => {
    const fake = createFakeExtension();
    const { session } = fake.api.storage;
    const set: typeof session.set = async (items) => {
      if (full in items) throw new Error("Session storage quota bytes exceeded.");
      await session.set(items);
    };
    const { asks, delivered } = startAsks({
      ...fake,
      api: { ...fake.api, storage: { ...fake.api.storage, session: { ...session, set } } },
    });
    await asks.add(place, "a", question);
    expect(delivered).toEqual([["a", refuse]]);
    expect([fake.windows.size, await stored(fake)]).toEqual([0, []]);
  },
);

test("where no window can be opened, the answer is a refusal", async () => {
  const fake = createFakeExtension();
  const windows = { ...fake.api.windows, create: () => Promise.reject(new Error("no windows here")) };
  const { asks, delivered } = startAsks({ ...fake, api: { ...fake.api, windows } });
  await asks.add(place, "a", question);
  expect(delivered).toEqual([["a", refuse]]);
});

test("an agent that was refused three times in a row at a site is refused unasked for a minute, and no other is", async () => {
  const { asks, delivered, state } = startAsks(createFakeExtension());
  let count = 0;
  const ask = async (agent: string, answer: PersonAnswer | undefined, at = place) => {
    const id = `q${++count}`;
    await asks.add(at, id, buy(agent));
    if (answer) await asks.answer(`${at.tab}:${id}`, answer);
    return delivered.at(-1)?.[1];
  };
  for (const answer of [refuse, refuse, allow, refuse, refuse, refuse])
    expect(await ask("one", answer)).toEqual(answer);
  expect(await ask("one", undefined)).toEqual({ action: "refuse", isUnasked: true });
  expect(await ask("other", refuse)).toEqual(refuse);
  expect(await ask("one", allow, { ...place, origin: "https://else.example", tab: 8 })).toEqual(allow);
  state.now += 60_000;
  expect(await ask("one", refuse)).toEqual(refuse);
  expect(await ask("one", undefined)).toEqual({ action: "refuse", isUnasked: true });
  state.now += 60_000;
  expect(await ask("one", allow)).toEqual(allow);
  expect(await ask("one", refuse)).toEqual(refuse);
});

test("a further question asks for attention, and leaves the focus where it is", async () => {
  const fake = createFakeExtension();
  const updates: object[] = [];
  const { update } = fake.api.windows;
  const windows = {
    ...fake.api.windows,
    update(window: number, options: Parameters<typeof update>[1]) {
      updates.push(options);
      return update(window, options);
    },
  };
  const { asks } = startAsks({ ...fake, api: { ...fake.api, windows } });
  await asks.add(place, "a", question);
  await asks.add(place, "b", question);
  expect(updates).toEqual([{ drawAttention: true }]);
  expect(fake.windows.size).toBe(1);
});

test("where the browser does not tell documents apart, questions of another site in the tab are over", async () => {
  const fake = createFakeExtension();
  const { asks } = startAsks(fake);
  const here = { ...place, document: undefined };
  await asks.add(here, "a", question);
  await asks.drop(place.tab, here);
  expect(await stored(fake)).toContain("asks");
  await asks.drop(place.tab, { ...here, origin: "https://bank.example" });
  expect(await stored(fake)).toEqual([]);
});
