import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startShellHub } from "../doors/shell/shell.test-helper.ts";
import type { Store, StoredRecord } from "../store/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { makeFolder, openTestStore } from "../store/test-support/store-contract.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { askOwn, errorOf } from "../test-support/own.test-helper.ts";
import {
  connectTab,
  extension,
  listBrowsers,
  mintBrowserCode,
  openExtension,
  pairBrowser,
  refusedPairing,
  refusedTab,
  removeBrowser,
  tabsOf,
} from "../test-support/extension.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";
import { sign } from "./test-support/jwks.test-helper.ts";
import { signAgentToken } from "./tokens.ts";

const site = "https://news.example";
const command = "npx pagewire extension";
const secret = "a-secret-of-at-least-32-characters";

test("EX6: where a hub has an owner, only the owner makes codes for browsers", async () => {
  const hub = await startShellHub();
  const byAgent = await askOwn(hub, "POST /api/browser-codes", { token: hub.token, origin: undefined });
  expect(errorOf(byAgent)).toEqual([403, "option-refused"]);
  const code = await mintBrowserCode(hub, hub.key);
  const { token } = await pairBrowser(hub, { code });
  expect((await connectTab(hub, token)).tabId).toMatch(/^[\w-]{16}$/);
  expect(errorOf(await askOwn(hub, "POST /api/browser-codes", { origin: undefined }))[0]).toBe(401);
  expect(errorOf(await askOwn(hub, "POST /api/browser-codes", { token: hub.key, origin: shop }))[0]).toBe(403);
  expect(errorOf(await askOwn(hub, "POST /api/browser-codes", { token: hub.key, origin: extension }))[0]).toBe(403);
});

test("EX6: in jwt mode a user pairs their own browser, which outlives the token, and ends when that is revoked", async () => {
  const ids = new Set<string>();
  const hub = await startHub({ jwt: { secret }, revocations: () => ({ ids, subjects: new Map() }) });
  const ann = await signAgentToken({ secret, subject: "ann", id: "one", expiresIn: 60 });
  const bob = await signAgentToken({ secret, subject: "bob" });
  const before = Date.now();
  const { token, expiresAt = 0 } = await pairBrowser(hub, { code: await mintBrowserCode(hub, ann) });
  const month = 30 * 24 * 60 * 60_000;
  expect(expiresAt).toBeGreaterThanOrEqual(before + month);
  expect(expiresAt).toBeLessThanOrEqual(Date.now() + month);
  const page = await connectTab(hub, token, { tools: ["anns"] });
  expect([await tabsOf(hub, bob), (await tabsOf(hub, ann)).length]).toEqual([[], 1]);
  const [browser] = await listBrowsers(hub, ann);
  expect([await listBrowsers(hub, bob), browser?.["expiresAt"]]).toEqual([[], new Date(expiresAt).toISOString()]);
  expect(errorOf(await removeBrowser(hub, browser?.["id"], bob))).toEqual([404, "route-not-found"]);
  expect(page.link.open).toBe(true);
  ids.add("one");
  hub.allow("https://another.example");
  expect(await page.closeName()).toBe("token-expired");
  expect(await refusedTab(hub, { token, claims: site })).toMatchObject({ code: "token-expired", command });
  expect(await refusedTab(hub, { claims: site })).toMatchObject({ code: "token-required", command });
});

test("EX7: when a browser was seen is known while it has tabs and afterwards", async () => {
  const hub = await startHub();
  const { token } = await pairBrowser(hub);
  const [first] = await listBrowsers(hub);
  expect(first).toEqual({
    id: expect.stringMatching(/^[\w][\w-]{15}$/),
    name: "Chrome",
    origin: extension,
    pairedAt: first?.["seenAt"],
    seenAt: expect.stringMatching(/^\d{4}-.*Z$/),
    connected: false,
    tabs: 0,
  });
  const page = await connectTab(hub, token);
  const at = Date.now();
  expect((await listBrowsers(hub))[0]).toMatchObject({ connected: true, tabs: 1 });
  page.socket.close();
  await page.closed;
  await expect
    .poll(async () => (await listBrowsers(hub))[0])
    .toMatchObject({ connected: false, tabs: 0, pairedAt: first?.["pairedAt"] });
  expect(Date.parse(String((await listBrowsers(hub))[0]?.["seenAt"]))).toBeGreaterThanOrEqual(at);
});

test("EX7: a browser with many tabs is written down as seen when the first comes and when the last leaves, also by a hub that stops", async () => {
  const path = join(makeFolder(), "hub.db");
  const opened = await openTestStore(path);
  const written: number[] = [];
  const note = (record: StoredRecord | undefined) => {
    const { seenAt } = Object(record?.["paired"]) as { seenAt?: number };
    if (seenAt !== undefined) written.push(seenAt);
  };
  const watched: Store = {
    ...opened,
    setRecord(kind, id, record) {
      note(record);
      return opened.setRecord(kind, id, record);
    },
    replaceRecord(kind, id, change) {
      note(change.after);
      return opened.replaceRecord(kind, id, change);
    },
  };
  const first = await startHub({ store: () => watched });
  const { token } = await pairBrowser(first);
  const open = (tab: string) => connectTab(first, token, { tab });
  const pages = [await open("1"), await open("2"), await open("3")];
  await expect.poll(() => written.length).toBe(2);
  for (const page of pages) page.socket.close();
  await expect.poll(() => written.length).toBe(3);
  await open("4");
  await expect.poll(() => written.length).toBe(4);
  await first.close();
  expect(written).toHaveLength(5);
  const next = await startHub({ store: () => openTestStore(path) });
  expect(Date.parse(String((await listBrowsers(next))[0]?.["seenAt"]))).toBe(written[4]);
  expect((await connectTab(next, token)).link.open).toBe(true);
});

test("EX2: a browser that cannot be written down is not paired, and one that left before it had its token is forgotten", async () => {
  const store = createFailingStore();
  const hub = await startHub({ store: () => store });
  store.failure = "full";
  expect(await refusedPairing(hub)).toMatchObject({ code: "not-saved" });
  store.failure = undefined;
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const slow: Store = { ...store, setRecord: (...change) => held.then(() => store.setRecord(...change)) };
  const other = await startHub({ store: () => slow });
  const peer = await openExtension(other, { type: "pair", code: await mintBrowserCode(other), name: "Chrome" });
  await peer.settled();
  peer.link.close();
  await once(peer.socket, "close");
  goOn();
  expect((await pairBrowser(other, { name: "Edge" })).name).toBe("Edge");
  await expect.poll(async () => (await listBrowsers(other)).map(({ name }) => name)).toEqual(["Edge"]);
});

test("EX6: a token of jwt mode that is for one app or one origin makes no code", async () => {
  const hub = await startHub({ jwt: { secret } });
  const claims = { sub: "ann", aud: "pagewire:agent", exp: Math.floor(Date.now() / 1000) + 60 };
  for (const scope of [{ app: "shop" }, { origin: shop }]) {
    const token = await sign({ ...claims, ...scope }, { alg: "HS256" }, Buffer.from(secret));
    const refused = await askOwn(hub, "POST /api/browser-codes", { token, origin: undefined });
    expect(errorOf(refused)).toEqual([403, "option-refused"]);
  }
});
