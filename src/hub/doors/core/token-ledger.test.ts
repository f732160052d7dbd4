import { expect, test } from "vitest";
import type { TokenLimit } from "../../common/token-limit.ts";
import type { SharedUse } from "../../common/shared-use.ts";
import { createMemoryStore } from "../../store/memory-store.ts";
import { createTokenLedger } from "./token-ledger.ts";

/** Hubs that tell each other at once what they count. */
function createTold() {
  const listeners: Parameters<SharedUse["onCounted"]>[0][] = [];
  let isUp = true;
  const use = (): SharedUse => {
    let own: (typeof listeners)[number] | undefined;
    return {
      elsewhere: () => 0,
      changed: () => {},
      count(principal, what, count) {
        if (isUp) for (const listener of listeners) if (listener !== own) listener(principal, what, count);
      },
      onCounted: (listener) => void listeners.push((own = listener)),
    };
  };
  return { use, setUp: (is: boolean) => void (isUp = is) };
}

async function twoLedgers({ quota = 100 } = {}) {
  const store = createMemoryStore();
  const { use, setUp } = createTold();
  const time = { now: 0 };
  const ledger = () =>
    createTokenLedger({
      ...{ store, now: () => time.now, use: use() },
      limitsOf: (account) => [{ account, period: "day", tokens: quota, by: "hub" }],
      later: { now: () => {}, add: () => {}, close: async () => 0 },
      onNotSaved: () => {},
    });
  const ledgers = [ledger(), ledger()] as const;
  for (const one of ledgers) await one.load("ann");
  return { store, setUp, ledgers, time };
}

/** The most tokens that may be charged yet. */
function leftOf(ledger: ReturnType<typeof createTokenLedger>, quota = 100): number {
  for (let more = 0; more <= quota; more++) {
    try {
      ledger.check("ann", more);
    } catch {
      return more;
    }
  }
  return quota;
}

test("MH65: tokens used at one hub count at another, once each", async () => {
  const { ledgers } = await twoLedgers();
  const [a, b] = ledgers;
  a.charge("ann", 60);
  await expect.poll(() => leftOf(b)).toBe(40);
  b.charge("ann", 15);
  a.charge("ann", 5);
  await expect.poll(() => ledgers.map((ledger) => leftOf(ledger))).toEqual([20, 20]);
  b.charge("ann", 20);
  expect(() => b.check("ann", 0)).toThrow("Today's 100 tokens are used up.");
  await expect.poll(() => leftOf(a)).toBe(0);
});

test("MH65: a hub that others cannot tell reads what they used when it has used some itself", async () => {
  const { ledgers, setUp } = await twoLedgers();
  const [a, b] = ledgers;
  setUp(false);
  a.charge("ann", 60);
  await expect.poll(() => leftOf(a)).toBe(40);
  expect(leftOf(b)).toBe(100);
  b.charge("ann", 10);
  await expect.poll(() => leftOf(b)).toBe(30);
});

test("tokens count for each limit of the principal, and until the limit's period ends", async () => {
  const store = createMemoryStore();
  const time = { now: Date.UTC(2026, 10, 29, 20) };
  const limitsOf = (account: string): readonly TokenLimit[] => [
    { account, period: "day", tokens: 100, by: "organisation" },
    { account, period: "month", tokens: 150, by: "organisation" },
    { account: "acme:group/sales", period: "day", tokens: 120, by: "organisation", of: { group: "sales" } },
  ];
  const later = { now: () => {}, add: () => {}, close: async () => 0 };
  const ledger = createTokenLedger({ store, later, limitsOf, now: () => time.now, onNotSaved: () => {} });
  for (const name of ["ann", "ben"]) await ledger.load(name);
  ledger.charge("ann", 90);
  ledger.charge("ben", 30);
  const end = "There are new ones from 2026-11-30, 00:00 UTC on.";
  const shared = `Today's 120 tokens of the group "sales" are used up. ${end}`;
  expect(() => ledger.check("ann", 0)).toThrow(shared);
  expect(() => ledger.check("ben", 0)).toThrow(shared);
  expect(ledger.left("ann").map(({ period, used, left }) => [period, used, left])).toEqual([
    ["day", 120, 0],
    ["day", 90, 10],
    ["month", 90, 60],
  ]);
  time.now += 86_400_000;
  for (const name of ["ann", "ben"]) await ledger.load(name);
  ledger.check("ben", 99);
  expect(() => ledger.check("ann", 60)).toThrow(
    "This month's 150 tokens are used up. There are new ones from 2026-12-01",
  );
  time.now += 86_400_000;
  await ledger.load("ann");
  ledger.check("ann", 99);
});

test("MH65: the day's tokens are those of all hubs on that day", async () => {
  const { ledgers, time } = await twoLedgers();
  const [a, b] = ledgers;
  a.charge("ann", 100);
  await expect.poll(() => leftOf(b)).toBe(0);
  time.now += 86_400_000;
  expect(ledgers.map((ledger) => leftOf(ledger))).toEqual([100, 100]);
  for (const ledger of ledgers) await ledger.load("ann");
  b.charge("ann", 30);
  await expect.poll(() => leftOf(a)).toBe(70);
});
