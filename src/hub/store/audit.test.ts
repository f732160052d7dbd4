import { expect, test } from "vitest";
import { verifyChain } from "./port/audit-chain.ts";
import type { AuditRecord, Store } from "./port/store.ts";
import { storeKinds } from "./test-support/store-contract.test-helper.ts";

const record = (fields: Partial<AuditRecord> = {}): AuditRecord => ({
  at: "2026-11-27T10:00:00.000Z",
  kind: "call",
  principal: "ada",
  name: "pay",
  outcome: "ok",
  ran: "yes",
  details: { b: 1, a: ["x"] },
  ...fields,
});

/** All records, oldest first. */
test.each(storeKinds)(
  "%s finds the records of an organisation's principals, however long their names, and no others",
  async (_, create) => {
    const store = await create();
    const long = ["acme/", `acme.${"o".repeat(210)}/`].map((start) => `${start}${"x".repeat(300)}`);
    const names = ["acme/ada", "acme:service/x", ...long, "acmes/eve", "acme", "ACME/ada", "a_me/ada"];
    const at = "2026-01-01T00:00:00.000Z";
    await store.addAudit(names.map((principal) => ({ at, kind: "call" as const, principal })));
    const of = async (organisation: string) =>
      (await store.audit({ organisation, limit: 10 })).map(({ principal }) => principal);
    expect(await of("acme")).toEqual([long[0], "acme:service/x", "acme/ada"]);
    expect(await of(`acme.${"o".repeat(210)}`)).toEqual([long[1]]);
    expect(await of("acme/")).toEqual([]);
  },
);

const allOf = (store: Store) => store.audit({ after: 0, limit: 1000 });

test.each(storeKinds)("%s gives back what was added to the audit, in its order, as a chain", async (_, create) => {
  const store = await create();
  await store.addAudit([record(), record({ name: "read" })]);
  await Promise.all([store.addAudit([record({ kind: "consent" })]), store.addAudit([]), store.addAudit([record()])]);
  const all = await allOf(store);
  expect(all).toMatchObject([record(), record({ name: "read" }), record({ kind: "consent" }), record()]);
  expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  expect(all.map(({ previous }) => previous)).toEqual(["", ...all.slice(0, 3).map(({ hash }) => hash)]);
  expect(verifyChain(all)).toEqual([]);
});

test.each(storeKinds)("what %s has of an audit shows a record that was changed, or is missing", async (_, create) => {
  const store = await create();
  for (const day of [26, 26, 27]) await store.addAudit([record({ at: `2026-11-${day}T10:00:00.000Z` })]);
  const [first, second, third] = await allOf(store);
  if (!first || !second || !third) throw new Error("There are three.");
  expect([first.day, second.day, third.day]).toEqual(["2026-11-26", "2026-11-26", "2026-11-27"]);
  const place = { hub: first.hub, day: second.day, sequence: second.sequence };
  expect(verifyChain([first, { ...second, outcome: "cancelled" }, third])).toEqual([{ ...place, problem: "changed" }]);
  expect(verifyChain([first, { ...second, details: { a: ["x"], b: 1 } }, third])).toEqual([]);
  expect(verifyChain([first, third])).toMatchObject([{ sequence: third.sequence, problem: "missing-before" }]);
  const bounds = { anchors: new Map([[first.hub, ""]]), heads: new Map([[first.hub, third.hash]]) };
  expect(verifyChain([first, second, third], bounds)).toEqual([]);
  expect(verifyChain([second], bounds)).toMatchObject([{ problem: "missing-before" }, { problem: "missing-after" }]);
});

test.each(storeKinds)("in the audit of %s no day is before that of an earlier record", async (_, create) => {
  const store = await create();
  await store.addAudit([record({ at: "2026-11-27T00:00:01.000Z" }), record({ at: "2026-11-26T23:59:59.000Z" })]);
  const all = await allOf(store);
  expect(all.map(({ day }) => day)).toEqual(["2026-11-27", "2026-11-27"]);
  expect(verifyChain(all)).toEqual([]);
});

test.each(storeKinds)("%s finds records of the audit by what they say, the latest first", async (_, create) => {
  const store = await create();
  const odd = "pay\0".repeat(100);
  const at = (hour: number) => `2026-11-27T${hour}:00:00.000Z`;
  await store.addAudit([
    record({ at: at(10), agent: "claude", origin: "https://shop.example" }),
    record({ at: at(11), kind: "sign-in", principal: "bob" }),
    record({ at: at(12), kind: "consent", name: odd }),
    record({ at: at(13), outcome: "cancelled" }),
  ]);
  const found = async (query: object) =>
    (await store.audit({ limit: 10, ...query })).map((one) => Number(one.at.slice(11, 13)));
  expect(await found({})).toEqual([13, 12, 11, 10]);
  expect(await found({ limit: 2 })).toEqual([13, 12]);
  expect(await found({ principal: "ada", name: "pay" })).toEqual([13, 10]);
  expect(await found({ name: odd })).toEqual([12]);
  expect(await found({ agent: "claude" })).toEqual([10]);
  expect(await found({ origin: "https://shop.example", principal: "bob" })).toEqual([]);
  expect(await found({ outcome: "cancelled" })).toEqual([13]);
  expect(await found({ kinds: ["sign-in", "consent"] })).toEqual([12, 11]);
  expect(await found({ kinds: [] })).toEqual([]);
  expect(await found({ since: at(11), until: at(12) })).toEqual([12, 11]);
  const [, second] = await allOf(store);
  expect(await found({ after: second?.sequence })).toEqual([12, 13]);
  expect(await found({ after: 0, limit: 1 })).toEqual([10]);
  expect(await found({ before: second?.sequence })).toEqual([10]);
  expect(await found({ before: 1 })).toEqual([]);
});
