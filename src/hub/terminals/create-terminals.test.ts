import { expect, test } from "vitest";
import { defaultLimits } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import type { StoredRecord } from "../store/index.ts";
import { createTerminals } from "./create-terminals.ts";
import type { MadeWith, Terminals } from "./terminals.ts";

const day = 24 * 60 * 60 * 1000;

/**
 * A hub's terminals, with a clock and secrets that the test controls; `restart` makes another hub with the same store.
 */
function createWorld(given: Partial<Limits> = {}) {
  const store = createFailingStore(createMemoryStore({ now: () => world.now }));
  const clock = createFakeClock();
  const secrets: Record<MadeWith, string> = { agent: "token 1", shell: "shell 1" };
  const world = {
    now: 1_000_000,
    secrets,
    store,
    clock,
    notSaved: 0,
    ended: 0,
    notes: [] as unknown[],
    events: [] as unknown[],
    records: (principal = "ann") => store.records("terminals", principal),
    put: (id: string, record: StoredRecord) => store.setRecord("terminals", id, record),
    restart: (): Terminals =>
      createTerminals({
        store,
        later: createLater(clock),
        limits: { ...defaultLimits, ...given },
        now: () => world.now,
        onNotSaved: () => world.notSaved++,
        record: (event) => world.events.push(event),
        note: (...noted) => world.notes.push(noted),
        root: (madeWith) => secrets[madeWith],
        onEnded: () => world.ended++,
      }),
  };
  return world;
}

const main = { name: "main" };
const byCommand = { name: "mine", madeWith: "agent" } as const;

/** The answer to a token: its terminal's id, or an error code. */
async function answerTo(terminals: Terminals, token: string): Promise<unknown> {
  return terminals.verify(token).then(
    ({ terminal }) => terminal,
    (error: { code?: string }) => error.code,
  );
}

test("DL28: a terminal has an id that is one safe word, and a token that stands for it", async () => {
  const terminals = createWorld().restart();
  const { id, token, name, createdAt } = await terminals.create("ann", main);
  expect([id, token]).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^pagewire-terminal\.[\w-]{43}$/),
  ]);
  expect([name, createdAt]).toEqual(["main", 1_000_000]);
  const admitted = await terminals.verify(token);
  expect(admitted).toEqual({ principal: "ann", credential: `terminal.${id}`, terminal: id, restsOn: "shell 1" });
  expect(terminals.isStillGood(admitted)).toBe(true);
  expect(terminals.isStillGood({ principal: "ann", credential: "x" })).toBe(false);
});

test("terminals and tokens outlive the hub, with their names; attachments do not", async () => {
  const world = createWorld();
  const before = world.restart();
  const { id, token } = await before.create("ann", main);
  await before.rename("ann", id, "build");
  await before.rename("bob", id, "stolen");
  await before.attach("ann", id, "tab-1");
  const after = world.restart();
  expect(await answerTo(after, token)).toBe(id);
  expect(await after.list("ann")).toEqual([{ id, name: "build", createdAt: 1_000_000 }]);
  expect([before.attachedTab(id), after.attachedTab(id)]).toEqual(["tab-1", undefined]);
  expect(JSON.stringify([...(await world.records())])).not.toContain(token.slice(-43));
  expect(JSON.stringify(world.notes)).not.toContain(token.slice(-43));
});

test("subscribers receive each change of a terminal's tab once", async () => {
  const terminals = createWorld().restart();
  const { id } = await terminals.create("ann", main);
  const heard: unknown[] = [];
  const stop = terminals.onAttached((...change) => heard.push(change));
  for (const tab of ["tab-1", "tab-1", "tab-2", undefined, undefined]) await terminals.attach("ann", id, tab);
  await terminals.attach("ann", "nobody", "tab-1");
  expect(terminals.attachedTab("nobody")).toBeUndefined();
  await terminals.attach("ann", id, "tab-3");
  await terminals.end("ann", id);
  expect(heard).toEqual([
    [id, "tab-1"],
    [id, "tab-2"],
    [id, undefined],
    [id, "tab-3"],
    [id, undefined],
  ]);
  stop();
  await terminals.attach("ann", (await terminals.create("ann", main)).id, "tab-1");
  expect(heard).toHaveLength(5);
});

test("a terminal ends after its idle timeout, and each use restarts the timeout", async () => {
  const world = createWorld({ terminalTime: 30 * day });
  const terminals = world.restart();
  const { id, token } = await terminals.create("ann", main);
  const uses: readonly (() => unknown)[] = [
    () => terminals.verify(token),
    () => terminals.find("ann", id),
    () => terminals.attach("ann", id, "tab-1"),
  ];
  for (const use of uses) {
    world.now += 29 * day;
    await use();
  }
  world.now += 30 * day - 1;
  expect(await terminals.list("ann")).toHaveLength(1);
  world.now++;
  expect([await answerTo(terminals, token), await terminals.list("ann")]).toEqual(["token-expired", []]);
  expect(await terminals.find("ann", id)).toBeUndefined();
});

test("uses are written down now and then, and a restarted hub knows of them", async () => {
  const world = createWorld({ terminalTime: 30 * day });
  const terminals = world.restart();
  const { id, token } = await terminals.create("ann", main);
  const { tried } = world.store.writes;
  for (let hour = 0; hour < 30 * 24; hour++) {
    world.now += day / 24;
    await terminals.verify(token);
  }
  await expect.poll(() => world.store.writes.tried - tried).toBe(30);
  world.now += 29 * day - 1;
  expect(await answerTo(world.restart(), token)).toBe(id);
});

test("for a while, a token that has expired is distinguished from one that never existed", async () => {
  const world = createWorld({ terminalsPerPrincipal: 2, terminalTime: 30 * day });
  const terminals = world.restart();
  const tokens: string[] = [];
  for (let n = 0; n < 4; n++) {
    const { id, token } = await terminals.create("ann", main);
    tokens.push(token);
    world.now++;
    await terminals.end("ann", id);
    await terminals.end("ann", id);
  }
  expect(world.ended).toBe(4);
  const bobs = await terminals.create("bob", main);
  await terminals.create("ann", main);
  const [first = "", second = "", third = "", fourth = ""] = tokens;
  for (const each of [terminals, world.restart()]) {
    expect([await answerTo(each, first), await answerTo(each, second)]).toEqual(["token-invalid", "token-invalid"]);
    expect([await answerTo(each, third), await answerTo(each, fourth)]).toEqual(["token-expired", "token-expired"]);
    expect(await answerTo(each, "pagewire-terminal.nobody")).toBe("token-invalid");
    expect(await answerTo(each, bobs.token)).toBe(bobs.id);
  }
  world.now += 60 * day;
  await terminals.create("bob", main);
  expect(await answerTo(terminals, fourth)).toBe("token-invalid");
  expect([(await world.records()).size, (await world.records("bob")).size]).toEqual([0, 1]);
});

test("one user has so many terminals, and of those that were made by command an idle one makes room", async () => {
  const world = createWorld({ terminalsPerPrincipal: 2 });
  const terminals = world.restart();
  const [older, newer] = [await terminals.create("ann", byCommand), await terminals.create("ann", byCommand)];
  await terminals.create("bob", main);
  await expect(terminals.create("ann", main)).rejects.toMatchObject({ code: "terminals-too-many" });
  world.now += day - 1;
  await expect(terminals.create("ann", byCommand)).rejects.toThrow("terminalsPerPrincipal is 2");
  await terminals.verify(older.token);
  world.now++;
  const third = await terminals.create("ann", main);
  expect([await answerTo(terminals, newer.token), world.ended]).toEqual(["token-expired", 1]);
  world.now += day;
  const fourth = await terminals.create("ann", main);
  expect(await answerTo(terminals, older.token)).toBe("token-expired");
  // Terminals with a shell end with their shells.
  world.now += day;
  await expect(terminals.create("ann", main)).rejects.toMatchObject({ code: "terminals-too-many" });
  expect((await terminals.list("ann")).map(({ id }) => id)).toEqual([third.id, fourth.id]);
});

test("many that are made at one time are as many as there may be", async () => {
  const terminals = createWorld({ terminalsPerPrincipal: 3 }).restart();
  const made = await Promise.allSettled(Array.from({ length: 8 }, () => terminals.create("ann", main)));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
});

test("an idle terminal makes room for one, however many want its room at one time", async () => {
  const world = createWorld({ terminalsPerPrincipal: 3 });
  const terminals = world.restart();
  for (let n = 0; n < 3; n++) await terminals.create("ann", n === 0 ? byCommand : main);
  world.now += day;
  const made = await Promise.allSettled(Array.from({ length: 8 }, () => terminals.create("ann", main)));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect([(await terminals.list("ann")).length, world.ended]).toEqual([3, 1]);
});

test("a terminal ends with the secret that it was made with, and with no other", async () => {
  const world = createWorld();
  const terminals = world.restart();
  const [agents, shells] = [await terminals.create("ann", byCommand), await terminals.create("ann", main)];
  const admitted = await terminals.verify(agents.token);
  world.secrets.agent = "token 2";
  expect(await answerTo(terminals, agents.token)).toBe("token-expired");
  expect(terminals.isStillGood(admitted)).toBe(false);
  expect(await answerTo(terminals, shells.token)).toBe(shells.id);
  await terminals.attach("ann", agents.id, "tab-1");
  expect(terminals.attachedTab(agents.id)).toBeUndefined();
  world.secrets.shell = "shell 2";
  expect(await answerTo(world.restart(), shells.token)).toBe("token-expired");
});

test("DL36: a terminal ends with the token that it was made with, however it is used", async () => {
  const world = createWorld();
  const terminals = world.restart();
  const { token, id } = await terminals.create("ann", { ...main, expiresAt: world.now + 1000 });
  const admitted = await terminals.verify(token);
  expect(admitted).toMatchObject({ expiresAt: world.now + 1000 });
  expect(await terminals.find("bob", id)).toBeUndefined();
  await terminals.end("bob", id);
  world.now += 999;
  expect(await answerTo(world.restart(), token)).toBe(id);
  world.now++;
  expect([await answerTo(terminals, token), terminals.isStillGood(admitted)]).toEqual(["token-expired", false]);
});

test("an end that could not be written holds here, and is written as soon as that is possible", async () => {
  const world = createWorld();
  const terminals = world.restart();
  const { id, token } = await terminals.create("ann", main);
  world.store.failure = "full";
  await expect(terminals.end("ann", id)).rejects.toMatchObject({ code: "not-saved" });
  expect([await answerTo(terminals, token), await answerTo(world.restart(), token)]).toEqual(["token-expired", id]);
  world.store.failure = undefined;
  await world.clock.advance(1000);
  expect(await answerTo(world.restart(), token)).toBe("token-expired");
});

test("where the store cannot be written no terminal is made, no idle one leaves for it, and no name is changed", async () => {
  const world = createWorld({ terminalsPerPrincipal: 1 });
  const terminals = world.restart();
  const { id, token } = await terminals.create("ann", byCommand);
  world.now += day;
  world.store.failure = "read-only";
  await expect(terminals.create("ann", main)).rejects.toMatchObject({ code: "not-saved" });
  await expect(terminals.rename("ann", id, "build")).rejects.toMatchObject({ code: "not-saved" });
  world.store.failure = undefined;
  await world.clock.advance(60_000);
  for (const each of [terminals, world.restart()]) {
    expect(await each.list("ann")).toMatchObject([{ id, name: "mine" }]);
    expect(await answerTo(each, token)).toBe(id);
  }
  expect([world.ended, world.notSaved]).toEqual([0, 2]);
});

test("a terminal that was written is there, also where nothing else can be written after it", async () => {
  const world = createWorld({ terminalsPerPrincipal: 1 });
  const terminals = world.restart();
  const idle = await terminals.create("ann", byCommand);
  world.now += day;
  const { setRecord } = world.store;
  world.store.setRecord = async (...record) => {
    await setRecord(...record);
    world.store.failure = "full";
  };
  const { id, token } = await terminals.create("ann", main);
  expect([await answerTo(terminals, token), await answerTo(terminals, idle.token)]).toEqual([id, "token-expired"]);
  Object.assign(world.store, { setRecord, failure: undefined });
  await world.clock.advance(1000);
  expect(await answerTo(world.restart(), idle.token)).toBe("token-expired");
});

test("DL29: a terminal that has ended is in no tab, however it ended", async () => {
  const world = createWorld({ terminalTime: 30 * day });
  const terminals = world.restart();
  const { id } = await terminals.create("ann", { ...main, expiresAt: world.now + 1000 });
  await terminals.attach("ann", id, "tab-1");
  const heard: unknown[] = [];
  terminals.onAttached((...change) => heard.push(change));
  world.now += 1000;
  expect(terminals.attachedTab(id)).toBeUndefined();
  await terminals.create("bob", main);
  expect(heard).toEqual([[id, undefined]]);
});

test("what is no terminal in the store is passed over, and a store that cannot be read is tried again", async () => {
  const world = createWorld();
  const { id, token } = await world.restart().create("ann", main);
  const [good = { principal: "" }] = (await world.records()).values();
  const wrong = { name: null, digest: [], root: undefined, madeWith: "x", createdAt: "x", usedAt: {} };
  for (const [field, value] of Object.entries({ ...wrong, expiresAt: "x", endedAt: null })) {
    await world.put(`without-${field}`, { ...good, digest: `other ${field}`, [field]: value ?? null });
  }
  const terminals = world.restart();
  expect((await terminals.list("ann")).map((each) => each.id)).toEqual([id]);
  expect(await answerTo(terminals, token)).toBe(id);

  const store = createFailingStore();
  Object.assign(store, { failure: "damaged", failsToRead: true });
  const parts = {
    now: () => 0,
    note: () => {},
    onNotSaved: () => {},
    record: () => {},
    root: () => "",
    onEnded: () => {},
  };
  const others = createTerminals({ ...parts, limits: defaultLimits, store, later: createLater(createFakeClock()) });
  await expect(others.create("ann", main)).rejects.toMatchObject({ code: "store-damaged" });
  store.failure = undefined;
  expect(await others.create("ann", main)).toMatchObject({ name: "main" });
});

test("a terminal that ended at one hub stays ended, also where another noted a use before it knew", async () => {
  const world = createWorld();
  const listeners: (() => void)[] = [];
  const tell = () => listeners.forEach((listener) => listener());
  Object.assign(world.store, { onChanged: (listener: () => void) => void listeners.push(listener) });
  const [a, b] = [world.restart(), world.restart()];
  const { id, token } = await a.create("ann", main);
  expect(await answerTo(b, token)).toBe(id);
  await a.end("ann", id);
  world.now += 2 * day;
  expect(await answerTo(b, token)).toBe(id);
  for (let told = 0; told < 3; told++) {
    tell();
    await world.clock.advance(1000);
  }
  expect([await answerTo(a, token), await answerTo(b, token)]).toEqual(["token-expired", "token-expired"]);
  expect([...(await world.records()).values()]).toMatchObject([{ endedAt: 1_000_000 }]);
});

test("a terminal that ended at one hub stays ended where another renames it before it knows", async () => {
  const world = createWorld();
  const [a, b] = [world.restart(), world.restart()];
  const { id, token } = await a.create("ann", main);
  expect(await answerTo(b, token)).toBe(id);
  await a.end("ann", id);
  await b.rename("ann", id, "build");
  expect([...(await world.records()).values()]).toMatchObject([{ name: "build", endedAt: 1_000_000 }]);
  expect(await answerTo(world.restart(), token)).toBe("token-expired");
});
