import { expect, test } from "vitest";
import { defaultLimits } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import type { RecordChange, Store } from "../store/index.ts";
import { createAppSessions } from "./app-sessions.ts";
import { isAppToken, isShellToken } from "./grant.ts";

const ada = { principal: "ada", credential: "c" };
const bob = { principal: "bob", credential: "d" };
const app = { use: "app" } as const;

interface Setting {
  readonly limits?: Partial<Limits>;
  readonly store?: Store;
}

/** Sign-ins with a clock and a secret that the test controls. */
function setUp({ limits = {}, store: given }: Setting = {}) {
  const clock = createFakeClock();
  const time = { now: 1000 };
  const store = given ?? createMemoryStore({ now: () => time.now });
  const setting = Object.assign(time, {
    root: "root",
    owner: "owner",
    ended: 0,
    notSaved: 0,
    records: [] as unknown[],
    store,
    clock,
  });
  const sessions = createAppSessions({
    store,
    limits: { ...defaultLimits, ...limits },
    now: () => setting.now,
    later: createLater(clock),
    onNotSaved: () => setting.notSaved++,
    record: (event) => setting.records.push(event),
    keys: { isSigned: ({ signature }) => signature === "s".repeat(86) },
    isOwn: (origin) => origin === "http://hub",
    root: () => setting.root,
    ownerRoot: () => setting.owner,
    onEnded: () => setting.ended++,
  });
  const signIn = async (who = ada) => (await sessions.signIn(sessions.mintCode(who, app).text, app)).text;
  return Object.assign(setting, { sessions, signIn });
}

const codeInvalid = { code: "code-invalid" };
const expired = { code: "token-expired" };

test("SI1: a code has 256 random bits", () => {
  const { sessions } = setUp();
  const codes = new Set(Array.from({ length: 100 }, () => sessions.mintCode(ada, app).text));
  expect(codes.size).toBe(100);
  for (const code of codes) expect(Buffer.from(code, "base64url")).toHaveLength(32);
});

test("SI2: a code is good once, until its time is up, and nothing else is one", async () => {
  const setting = setUp();
  const { text, expiresAt } = setting.sessions.mintCode(ada, app);
  expect(expiresAt).toBe(1000 + defaultLimits.codeTime);
  const late = setting.sessions.mintCode(ada, app).text;
  const results = await Promise.allSettled([1, 2, 3].map(() => setting.sessions.signIn(text, app)));
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  setting.now = expiresAt;
  for (const code of [text, late, "", "x", `${text}x`, text.slice(0, -1), text.toUpperCase(), "__proto__"])
    await expect(setting.sessions.signIn(code, app)).rejects.toMatchObject(codeInvalid);
});

test("SI2: a code that was asked for with a credential that has ended since is not good", async () => {
  const setting = setUp();
  const { text } = setting.sessions.mintCode(ada, app);
  setting.root = "another";
  await expect(setting.sessions.signIn(text, app)).rejects.toMatchObject(codeInvalid);
  const brief = setting.sessions.mintCode({ ...ada, expiresAt: 1500 }, app);
  expect(brief.expiresAt).toBe(1500);
  setting.now = 1500;
  await expect(setting.sessions.signIn(brief.text, app)).rejects.toMatchObject(codeInvalid);
});

test("SI2: a sign-in that is under way when its credential ends comes to nothing", async () => {
  const store = createMemoryStore();
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const setting = setUp({ store: { ...store, records: (...asked) => held.then(() => store.records(...asked)) } });
  const signedIn = setting.sessions.signIn(setting.sessions.mintCode(ada, app).text, app);
  setting.root = "another";
  goOn();
  await expect(setting.sessions.verify((await signedIn).text, app)).rejects.toMatchObject(expired);
});

test("a token has the identity of the client that asked for its code, and each is its own sign-in", async () => {
  const setting = setUp();
  const [one, other] = [await setting.signIn(), await setting.signIn(bob)];
  expect([isAppToken(one), isAppToken("x"), one === other]).toEqual([true, false, false]);
  const admitted = await setting.sessions.verify(one, app);
  expect(admitted).toMatchObject({ principal: "ada", expiresAt: 1000 + defaultLimits.appSessionTime });
  const another = await setting.sessions.verify(other, app);
  expect(another.principal).toBe("bob");
  expect(another.credential).not.toBe(admitted.credential);
  for (const token of ["pagewire-app.", `${one}x`, one.slice(0, -1), "pagewire-app.__proto__"])
    await expect(setting.sessions.verify(token, app)).rejects.toMatchObject(expired);
});

test("SI5: a token ends after appSessionTime, with the credential that asked for its code, and when it is signed out", async () => {
  const setting = setUp({ limits: { appSessionTime: 500 } });
  const [long, brief] = [await setting.signIn(), await setting.signIn({ ...ada, expiresAt: 1200 } as never)];
  const [first, second] = [await setting.sessions.verify(long, app), await setting.sessions.verify(brief, app)];
  expect([first.expiresAt, second.expiresAt]).toEqual([1500, 1200]);
  setting.now = 1200;
  expect([first, second].map((one) => setting.sessions.isStillGood(one))).toEqual([true, false]);
  await expect(setting.sessions.verify(brief, app)).rejects.toMatchObject(expired);
  setting.root = "another";
  expect(setting.sessions.isStillGood(first)).toBe(false);
  await expect(setting.sessions.verify(long, app)).rejects.toMatchObject(expired);
  setting.root = "root";
  await setting.sessions.signOut(first);
  await setting.sessions.signOut(first);
  expect([setting.sessions.isStillGood(first), setting.ended]).toEqual([false, 1]);
  await expect(setting.sessions.verify(long, app)).rejects.toMatchObject(expired);
});

test("SI5: a token without an end has none after a restart either", async () => {
  const setting = setUp({ limits: { appSessionTime: Infinity } });
  const token = await setting.signIn();
  setting.now = 1e15;
  expect(await setting.sessions.verify(token, app)).not.toHaveProperty("expiresAt");
  const after = setUp({ store: setting.store });
  after.now = 1e15;
  expect((await after.sessions.verify(token, app)).principal).toBe("ada");
});

test("stored records give no access, hold after a restart, and invalid ones are skipped", async () => {
  const setting = setUp();
  const code = setting.sessions.mintCode(ada, app).text;
  const [token, gone] = [await setting.signIn(), await setting.signIn(bob)];
  await setting.sessions.signOut(await setting.sessions.verify(gone, app));
  const kept = JSON.stringify([...(await setting.store.records("app-sessions", "ada"))]);
  for (const secret of [code, token, token.slice(-43)]) expect(kept).not.toContain(secret);
  for (const record of [{ principal: "eve" }, { principal: "eve", root: "root", expiresAt: "never" }])
    await setting.store.setRecord("app-sessions", JSON.stringify(record), record);
  const after = setUp({ store: setting.store });
  expect((await after.sessions.verify(token, app)).principal).toBe("ada");
  await expect(after.sessions.verify(gone, app)).rejects.toMatchObject(expired);
  for (const [key] of await setting.store.records("app-sessions", "ada"))
    await expect(after.sessions.verify(`pagewire-app.${key}`, app)).rejects.toMatchObject(expired);
});

test("of a principal's codes, and of its sign-ins, the first make room; another's stay", async () => {
  const setting = setUp({ limits: { codesPerPrincipal: 2, appSessionsPerPrincipal: 2 } });
  const others = setting.sessions.mintCode(bob, app).text;
  const codes = [1, 2, 3].map(() => setting.sessions.mintCode(ada, app).text);
  await expect(setting.sessions.signIn(codes[0] ?? "", app)).rejects.toMatchObject(codeInvalid);
  const bobs = (await setting.sessions.signIn(others, app)).text;
  const tokens = [];
  for (const code of codes.slice(1)) tokens.push((await setting.sessions.signIn(code, app)).text);
  expect(setting.ended).toBe(0);
  tokens.push(await setting.signIn());
  expect(setting.ended).toBe(1);
  await expect(setting.sessions.verify(tokens[0] ?? "", app)).rejects.toMatchObject(expired);
  for (const token of [bobs, ...tokens.slice(1)]) await setting.sessions.verify(token, app);
  expect((await setting.store.records("app-sessions", "ada")).size).toBe(2);
});

test("sign-ins that have ended are not kept", async () => {
  const setting = setUp({ limits: { appSessionTime: 10 } });
  for (let at = 0; at < 5; at++) {
    setting.now += 10;
    await setting.signIn(at % 2 === 0 ? ada : bob);
  }
  const kept = await Promise.all(["ada", "bob"].map((who) => setting.store.records("app-sessions", who)));
  expect(kept.map(({ size }) => size)).toEqual([1, 0]);
});

test("who signed in with a code cannot make others", async () => {
  const setting = setUp();
  const admitted = await setting.sessions.verify(await setting.signIn(), app);
  expect(() => setting.sessions.mintCode(admitted, app)).toThrow(expect.objectContaining({ code: "token-invalid" }));
});

test("if sign-ins cannot be read or written, signing in is a named error, and leaves nothing behind", async () => {
  const store = createFailingStore();
  const setting = setUp({ store });
  const notSaved = { code: "not-saved" };
  for (const failsToRead of [true, false]) {
    Object.assign(store, { failure: "full", failsToRead });
    await expect(setting.signIn()).rejects.toMatchObject(notSaved);
    store.failure = undefined;
    await setting.clock.advance(60_000);
    expect((await store.records("app-sessions", "ada")).size).toBe(0);
  }
  expect([setting.notSaved, setting.clock.pending]).toEqual([1, 0]);
  const token = await setting.signIn();
  [store.failure, store.failsToRead] = ["away", true];
  expect((await setting.sessions.verify(token, app)).principal).toBe("ada");
  const after = setUp({ store });
  await expect(after.sessions.verify(token, app)).rejects.toMatchObject(notSaved);
  store.failure = undefined;
  expect((await after.sessions.verify(token, app)).principal).toBe("ada");
});

test("a sign-out that cannot be written holds at once, and is written as soon as that is possible", async () => {
  const store = createFailingStore();
  const setting = setUp({ store });
  const token = await setting.signIn();
  const admitted = await setting.sessions.verify(token, app);
  store.failure = "full";
  await expect(setting.sessions.signOut(admitted)).rejects.toMatchObject({ code: "not-saved" });
  expect([setting.sessions.isStillGood(admitted), setting.ended]).toEqual([false, 1]);
  await expect(setting.sessions.verify(token, app)).rejects.toMatchObject(expired);
  store.failure = undefined;
  await setting.clock.advance(1000);
  expect((await store.records("app-sessions", "ada")).size).toBe(0);
});

test("a sign-out holds also where the sign-in cannot be read at the moment", async () => {
  const store = createFailingStore();
  const before = setUp({ store });
  const token = await before.signIn();
  const admitted = await before.sessions.verify(token, app);
  const setting = setUp({ store });
  [store.failure, store.failsToRead] = ["away", true];
  await expect(setting.sessions.signOut(admitted)).rejects.toMatchObject({ code: "not-saved" });
  await expect(setting.sessions.verify(token, app)).rejects.toMatchObject(expired);
  store.failure = undefined;
  await setting.clock.advance(1000);
  expect((await store.records("app-sessions", "ada")).size).toBe(0);
});

test("a sign-in that ended at one hub is not looked for by another that knows it", async () => {
  const store = createMemoryStore({ now: () => 1000 });
  const listeners: ((change: RecordChange) => void)[] = [];
  const onChanged: Store["onChanged"] = (listener) => void listeners.push(listener);
  const [here, there] = [setUp({ store }), setUp({ store: { ...store, onChanged } })];
  const text = await here.signIn();
  const admitted = await there.sessions.verify(text, app);
  const key = admitted.session ?? "";
  for (const listener of listeners) listener({ kind: "app-sessions", key });
  await expect(there.sessions.verify(text, app)).rejects.toMatchObject(expired);
  expect(there.sessions.isStillGood(admitted)).toBe(false);
});

test("SI5: the owner's sign-in is good until the owner's key changes", async () => {
  const setting = setUp();
  const code = setting.sessions.mintCode(ada, { use: "app", isOwners: true });
  const visit = { use: "app", origin: "http://hub", key: "k" } as const;
  const { admitted } = await setting.sessions.signIn(code.text, visit);
  expect([admitted.isOwner, setting.sessions.isStillGood(admitted)]).toEqual([true, true]);
  setting.owner = "another";
  expect(setting.sessions.isStillGood(admitted)).toBe(false);
});

test("SI5: a sign-in that is not in memory any more is good until its time, or what it rests on, ends", async () => {
  const setting = setUp({ limits: { appSessionTime: 500 } });
  const admitted = await setting.sessions.verify(await setting.signIn(), app);
  const other = await setting.sessions.verify(await setting.signIn(), app);
  for (let n = 0; n < 200; n++) await setting.signIn({ ...ada, principal: `other ${n}` });
  expect(setting.sessions.isStillGood(admitted)).toBe(true);
  await setting.sessions.signOut(other);
  expect([setting.sessions.isStillGood(other), setting.ended]).toEqual([false, 1]);
  setting.root = "another";
  expect(setting.sessions.isStillGood(admitted)).toBe(false);
  setting.root = "root";
  setting.now = 1500;
  expect(setting.sessions.isStillGood(admitted)).toBe(false);
});

test("SI5: a sign-in in person ends where it is not in memory any more: its second token may have been revoked", async () => {
  const setting = setUp();
  const person = { principal: "ada", tokenId: "t" };
  const code = setting.sessions.mintCode(ada, { use: "app", person });
  const visit = { use: "app", origin: "http://hub", key: "k" } as const;
  const { admitted } = await setting.sessions.signIn(code.text, visit);
  expect([admitted.inPerson, setting.sessions.isStillGood(admitted)]).toEqual([true, true]);
  for (let n = 0; n < 200; n++) await setting.signIn({ ...ada, principal: `other ${n}` });
  expect(setting.sessions.isStillGood(admitted)).toBe(false);
});

const own = "http://127.0.0.1:7337";
const shell = { use: "shell", isFor: (origin: string) => origin === own } as const;
const atOwn = { use: "shell", origin: own } as const;

test("a code and a token for terminals are good for these only, and those of the hub's own pages for these only", async () => {
  const setting = setUp();
  const { sessions } = setting;
  await expect(sessions.signIn(sessions.mintCode(ada, shell).text, app)).rejects.toMatchObject(codeInvalid);
  await expect(sessions.signIn(sessions.mintCode(ada, app).text, atOwn)).rejects.toMatchObject(codeInvalid);
  const token = (await sessions.signIn(sessions.mintCode(ada, shell).text, atOwn)).text;
  const appToken = await setting.signIn();
  expect([isShellToken(token), isAppToken(token), isShellToken(appToken)]).toEqual([true, false, false]);
  const [forShell, forApp] = [await sessions.verify(token, atOwn), await sessions.verify(appToken, app)];
  expect(forShell).toMatchObject({ principal: "ada", credential: expect.stringMatching(/^shell\./) });
  expect(forApp.credential).toMatch(/^app\./);
  await expect(sessions.verify(token, app)).rejects.toMatchObject(expired);
  await expect(sessions.verify(appToken, atOwn)).rejects.toMatchObject(expired);
});

test("a token for terminals is good for pages of the origin that exchanged its code, and a code that was tried elsewhere is spent", async () => {
  const { sessions } = setUp();
  const token = (await sessions.signIn(sessions.mintCode(ada, shell).text, atOwn)).text;
  for (const origin of [undefined, "https://evil.example", "http://localhost:7337"]) {
    const code = sessions.mintCode(ada, shell).text;
    const refused = { code: "token-invalid", message: expect.stringContaining("npx pagewire terminal") };
    await expect(sessions.signIn(code, { use: "shell", origin })).rejects.toMatchObject(refused);
    await expect(sessions.signIn(code, atOwn)).rejects.toMatchObject(codeInvalid);
    await expect(sessions.verify(token, { use: "shell", origin })).rejects.toMatchObject({ code: "token-invalid" });
  }
});

test("stored terminal tokens give no access, hold after a restart, and are still for terminals only", async () => {
  const setting = setUp();
  const token = (await setting.sessions.signIn(setting.sessions.mintCode(ada, shell).text, atOwn)).text;
  expect(JSON.stringify([...(await setting.store.records("app-sessions", "ada"))])).not.toContain(token.slice(-43));
  const base = { principal: "eve", root: "root", expiresAt: 1e15 };
  for (const record of [
    { ...base, use: "shell" },
    { ...base, use: "all" },
    { ...base, use: "shell", origin: 7 },
  ])
    await setting.store.setRecord("app-sessions", JSON.stringify(record), record);
  const after = setUp({ store: setting.store });
  expect((await after.sessions.verify(token, atOwn)).principal).toBe("ada");
  await expect(after.sessions.verify(token, app)).rejects.toMatchObject(expired);
});

test("of one principal the first codes and tokens for terminals make room for others of these, and for nothing else", async () => {
  const setting = setUp({ limits: { codesPerPrincipal: 1, appSessionsPerPrincipal: 1 } });
  const { sessions } = setting;
  const codes = [sessions.mintCode(ada, app), sessions.mintCode(ada, shell)].map(({ text }) => text);
  const appToken = (await sessions.signIn(codes[0] ?? "", app)).text;
  const tokens = [(await sessions.signIn(codes[1] ?? "", atOwn)).text];
  expect(setting.ended).toBe(0);
  tokens.push((await sessions.signIn(sessions.mintCode(ada, shell).text, atOwn)).text);
  expect(setting.ended).toBe(1);
  await expect(sessions.verify(tokens[0] ?? "", atOwn)).rejects.toMatchObject(expired);
  await sessions.verify(tokens[1] ?? "", atOwn);
  await sessions.verify(appToken, app);
});
