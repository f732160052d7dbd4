import { join } from "node:path";
import { expect, test } from "vitest";
import { createMemoryStore, openStore } from "../../store/index.ts";
import type { AuditRecord, Store } from "../../store/index.ts";
import { makeFolder } from "../../store/test-support/store-contract.test-helper.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { errorOf } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { CallIds } from "./find-calls.ts";
import { listOf, read } from "./read.test-helper.ts";
import type { Item } from "./read.test-helper.ts";

const audit = { key: "a key of the audit" };

function callAt(second: number, more: Partial<AuditRecord> = {}): AuditRecord {
  const at = new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
  return { at, kind: "call", principal: "local", name: "work", outcome: "ok", agent: "claude", ...more };
}

/** A hub whose store has these records. */
async function startWith(records: readonly AuditRecord[], store: Store = createMemoryStore()) {
  await store.addAudit(records);
  return startHub({ store: () => store, audit });
}

const secondsOf = (calls: readonly Item[]) => calls.map(({ at }) => new Date(String(at)).getUTCSeconds());

test("RA6: calls are those of the audit, the latest first, each with an id", async () => {
  const store = createMemoryStore();
  const hub = await startHub({ store: () => store, audit });
  const page = await connectPage(hub.url);
  await callTool(hub, "work", { headers: { "Idempotency-Key": "order-1" } });
  await callTool(hub, "missing");
  await expect.poll(() => listOf(hub, "calls")).toHaveLength(2);
  const [missing, work] = await listOf(hub, "calls");
  expect(missing).toMatchObject({ name: "missing", outcome: "rejected", code: "tool-not-found" });
  expect(work).toMatchObject({ name: "work", outcome: "ok", tab: page.tabId, app: "shop", door: "http" });
  const [kept] = await store.audit({ kinds: ["call"], name: "work", limit: 1 });
  expect(work).toEqual({ id: work?.["id"], ...kept });
  expect(await listOf(hub, "calls?key=order-1")).toEqual([work]);
  expect(await listOf(hub, `calls?key=${String(work?.["key"])}`)).toEqual([work]);
  expect(await listOf(hub, `calls?tab=${page.tabId}&app=shop`)).toEqual([work]);
  expect((await read(hub, `calls/${String(work?.["id"])}`)).body).toEqual(work);
});

test("RA6: every filter selects, alone and with others", async () => {
  const hub = await startWith([
    callAt(1, { agent: "codex", origin: "https://a.example" }),
    callAt(2, { outcome: "tool-error", code: "handler-failed", ran: "maybe", tab: "tab-2", app: "till", door: "mcp" }),
    callAt(3, { kind: "question" }),
    callAt(4, { principal: "bob" }),
    callAt(5, {
      name: "pay",
      milliseconds: 300,
      decidedBy: "policy",
      trace: "0af7",
      details: { rule: "ask before PAYING", arguments: '{"sku":"tea"}' },
    }),
  ]);
  const found = async (query: string) => secondsOf(await listOf(hub, `calls?${query}`));
  expect(await found("limit=500")).toEqual([5, 2, 1]);
  expect(await found("tool=work")).toEqual([2, 1]);
  expect(await found("agent=codex")).toEqual([1]);
  expect(await found("origin=https://a.example")).toEqual([1]);
  expect(await found("outcome=tool-error&app=till&tab=tab-2")).toEqual([2]);
  expect(await found("app=till&tool=pay")).toEqual([]);
  expect(await found("since=2026-01-01T12:00:02Z&until=2026-01-01T12:00:04Z")).toEqual([2]);
  expect(await found("text=paying")).toEqual([5]);
  expect(await found("text=%7B%22sku%22")).toEqual([5]);
  expect(await found("text=TILL")).toEqual([2]);
  expect(await found("text=kind")).toEqual([]);
  expect(await found("outcome=failed")).toEqual([2]);
  expect(await found("outcome=failed&tool=pay")).toEqual([]);
  expect(await found("door=mcp&code=handler-failed&ran=maybe")).toEqual([2]);
  expect(await found("decidedBy=policy&trace=0af7")).toEqual([5]);
  expect(await found("minMilliseconds=300")).toEqual([5]);
  expect(await found("minMilliseconds=301")).toEqual([]);
});

test("RA6: pages continue where the one before ended, also where few records are wanted", async () => {
  const many = Array.from({ length: 600 }, (_, n) =>
    callAt(n % 60, { name: n % 100 === 0 ? "rare" : "work", tab: `t${n}` }),
  );
  const store = await openStore({ database: join(makeFolder(), "hub.db"), limits: { pruneTime: 0 } });
  const hub = await startWith(many, store);
  for (const [query, count] of [
    ["limit=70", 600],
    ["limit=2&text=rare", 6],
    ["tool=rare&limit=500", 6],
  ] as const) {
    const tabs: unknown[] = [];
    for (let before: string | null = ""; before !== null;) {
      const { body } = await read(hub, `calls?${query}${before === "" ? "" : `&before=${before}`}`);
      const page = body as { readonly calls: readonly Item[]; readonly before: string | null };
      tabs.push(...page.calls.map(({ tab }) => tab));
      ({ before } = page);
    }
    expect(tabs).toHaveLength(count);
    expect(new Set(tabs).size).toBe(count);
  }
});

test("RA12: what comes after a call is read in order, a page at a time, also where nothing is selected", async () => {
  const store = createMemoryStore();
  const hub = await startWith([callAt(1)], store);
  type Page = { readonly calls: readonly Item[]; readonly after: string; readonly before: string | null };
  const page = async (query: string) => (await read(hub, `calls?${query}`)).body as unknown as Page;
  let { after } = await page("limit=1");
  expect(await page(`after=${after}`)).toMatchObject({ calls: [], after, before: null });
  await store.addAudit([2, 3, 4].map((second) => callAt(second, { tab: `t${second}` })));
  const next = await page(`after=${after}&limit=2`);
  expect(secondsOf(next.calls)).toEqual([2, 3]);
  expect(secondsOf((await page(`after=${next.after}&limit=2`)).calls)).toEqual([4]);
  const none = await page(`after=${after}&tab=t9`);
  expect(none.calls).toEqual([]);
  expect(secondsOf((await page(`after=${none.after}`)).calls)).toEqual([]);
  ({ after } = await page("tab=t2"));
  await store.addAudit([callAt(5, { tab: "t2" })]);
  expect(secondsOf((await page(`after=${after}&tab=t2`)).calls)).toEqual([5]);
  for (const query of [`after=${after}&before=${after}`, "after=1"])
    expect(errorOf(await read(hub, `calls?${query}`)), query).toEqual([400, "request-malformed"]);
});

const summaryOf = async (hub: Parameters<typeof read>[0], query = "") =>
  (await read(hub, `calls/summary${query}`)).body;

test("RA13: a summary counts calls and failures over time and for each tool, with how long they took", async () => {
  const times = Array.from({ length: 20 }, (_, n) => callAt(n, { milliseconds: n + 1 }));
  const refused = callAt(30, { name: "pay", outcome: "rejected" });
  const hub = await startWith([...times, refused, callAt(31, { kind: "question" }), callAt(32, { principal: "bob" })]);
  const range = "since=2026-01-01T12:00Z&until=2026-01-01T12:00:40Z";
  expect(await summaryOf(hub, `?${range}&buckets=4`)).toEqual({
    isRecorded: true,
    isWhole: true,
    since: "2026-01-01T12:00:00.000Z",
    until: "2026-01-01T12:00:40.000Z",
    calls: 21,
    failures: 1,
    buckets: [
      [10, 0],
      [10, 0],
      [0, 0],
      [1, 1],
    ],
    tools: [
      { tool: "work", calls: 20, failures: 0, p50: 10, p95: 19, longest: 20 },
      { tool: "pay", calls: 1, failures: 1, p50: null, p95: null, longest: null },
    ],
    otherTools: 0,
  });
  expect(await summaryOf(hub, "?outcome=failed")).toMatchObject({ calls: 1, since: "2026-01-01T12:00:00.000Z" });
  expect(await summaryOf(hub, "?tool=none&buckets=2")).toMatchObject({ calls: 0, tools: [], since: null, buckets: [] });
  for (const query of ["buckets=0", "buckets=501", "limit=1", "outcome="])
    expect(errorOf(await read(hub, `calls/summary?${query}`)), query).toEqual([400, "request-malformed"]);
});

test("RA13: a summary examines a bounded number of calls, says where it stopped, and lists a bounded number of tools", async () => {
  const plain = createMemoryStore();
  const place = { day: "2026-01-01", hub: "h", previous: "", hash: "" };
  const store: Store = {
    ...plain,
    async audit({ limit, before = 20_000 }) {
      return Array.from({ length: limit }, (_, n) => {
        const sequence = before - 1 - n;
        const at = new Date(Date.UTC(2026, 0, 1) + sequence * 1000).toISOString();
        return { ...callAt(0), ...place, at, name: `tool-${sequence % 150}`, sequence };
      });
    },
  };
  const hub = await startHub({ store: () => store, audit });
  const range = "since=2026-01-01&until=2026-01-02";
  const body = await summaryOf(hub, `?${range}`);
  const since = new Date(Date.UTC(2026, 0, 1) + 10_000_000).toISOString();
  expect(body).toMatchObject({ isWhole: false, calls: 10_000, since, otherTools: 50 });
  expect(body?.["tools"]).toHaveLength(100);
});

test("a search examines a bounded number of records, in small parts, and says where to continue", async () => {
  const plain = createMemoryStore();
  const limits: number[] = [];
  const record = { ...callAt(1), day: "2026-01-01", hub: "h", previous: "", hash: "" };
  const store: Store = {
    ...plain,
    async audit({ limit, kinds, before = 1_000_000 }) {
      if (kinds) limits.push(limit);
      return Array.from({ length: limit }, (_, n) => ({ ...record, sequence: before - 1 - n }));
    },
  };
  const hub = await startHub({ store: () => store, audit });
  const { body } = await read(hub, "calls?text=nowhere");
  expect(body).toMatchObject({ calls: [], before: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(limits.reduce((sum, one) => sum + one, 0)).toBe(10_000);
  expect(Math.max(...limits)).toBeLessThanOrEqual(250);
});

test("one user's searches at one time are limited, and others' go on", async () => {
  const plain = createMemoryStore();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const store: Store = {
    ...plain,
    async audit(query) {
      if (query.kinds?.includes("call")) await held;
      return plain.audit(query);
    },
  };
  const hub = await startHub({ store: () => store, audit });
  const searches = Array.from({ length: 5 }, () => read(hub, "calls"));
  const refused = await Promise.race(searches);
  expect(errorOf(refused)).toEqual([429, "requests-too-many"]);
  expect(refused.headers.get("retry-after")).toBe("1");
  release();
  const all = await Promise.all(searches);
  expect(all.filter(({ status }) => status === 200)).toHaveLength(4);
  expect((await read(hub, "calls")).status).toBe(200);
});

test("RA7: an id opens its call after a restart, and shows nothing of its place among all records", async () => {
  const database = join(makeFolder(), "hub.db");
  const open = () => openStore({ database, limits: { pruneTime: 0 } });
  const first = await startWith([callAt(1), callAt(2)], await open());
  const [two, one] = await listOf(first, "calls");
  await first.close();
  const second = await startHub({ store: open, audit });
  expect((await read(second, `calls/${String(one?.["id"])}`)).body).toEqual(one);
  expect((await read(second, `calls/${String(two?.["id"])}`)).body).toEqual(two);
  const others = new CallIds(() => "another key");
  expect(others.open(String(one?.["id"]))).toBeUndefined();
  expect(errorOf(await read(second, `calls/${others.seal(1)}`))).toEqual([404, "route-not-found"]);
  const ids = new CallIds(() => audit.key);
  expect([ids.open(String(one?.["id"])), ids.open(ids.seal(2 ** 52))]).toEqual([1, 2 ** 52]);
  expect(errorOf(await read(second, `calls/${ids.seal(999)}`))).toEqual([404, "route-not-found"]);
});

test("a hub that keeps no audit says so", async () => {
  const hub = await startHub({ audit: "none" });
  await callTool(hub, "work");
  expect((await read(hub, "calls")).body).toEqual({ isRecorded: false, calls: [], before: null, after: null });
  expect(await summaryOf(hub)).toMatchObject({ isRecorded: false, calls: 0, buckets: [], tools: [] });
  expect(errorOf(await read(hub, `calls/${"0".repeat(32)}`))).toEqual([404, "route-not-found"]);
});
