import { expect, test } from "vitest";
import { createPinWaits } from "./other-waits.ts";
import { createWaits } from "./waits.ts";
import type { OpenWait, WaitSource } from "./wait.ts";

const approval = { kind: "approval", reason: "A rule." } as const;
const allow = { allow: true } as const;

function setUp(sources: readonly WaitSource[] = []) {
  const records: unknown[] = [];
  const waits = createWaits({ record: (event) => records.push(event.outcome) });
  for (const source of sources) waits.addSource(source);
  return { waits, records };
}

test("one tab has 50 places in the inbox, and leaves the others to other tabs", async () => {
  const { waits } = setUp();
  for (let n = 0; n < 60; n++) waits.add("ann", { ...approval, tab: "t1" }, () => {});
  waits.add("ann", { ...approval, tab: "t2" }, () => {});
  const { waits: all, more } = await waits.list("ann");
  expect([all.length, more, all.at(-1)?.tab]).toEqual([51, 10, "t2"]);
});

test("an answer that no source takes is refused, and is no approval", async () => {
  const item: OpenWait = { kind: "tool-change", reason: "", id: "a", since: "2026-01-01T00:00:00.000Z" };
  const source: WaitSource = { list: async () => [item], answer: async () => false };
  const { waits, records } = setUp([source]);
  const answer = waits.answer("ann", { id: "a", answer: allow, by: "command" });
  await expect(answer).rejects.toMatchObject({ code: "route-not-found" });
  expect([records, (await waits.list("ann")).ended]).toEqual([[], []]);
});

test("of two answers at once to what a source lists one counts; what it lists again can be answered again", async () => {
  const item: OpenWait = { kind: "tool-change", reason: "", id: "a", since: "2026-01-01T00:00:00.000Z" };
  let listed = [item];
  const source: WaitSource = {
    list: async () => listed,
    async answer() {
      await Promise.resolve();
      listed = [];
      return true;
    },
  };
  const { waits, records } = setUp([source]);
  const answer = () => waits.answer("ann", { id: "a", answer: allow, by: "command" });
  const [first, second] = await Promise.allSettled([answer(), answer()]);
  expect([first, second]).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "ask-failed" } },
  ]);
  await expect(answer()).rejects.toMatchObject({ code: "ask-failed" });
  listed = [item];
  expect((await waits.list("ann")).ended).toEqual([]);
  await answer();
  expect(records).toEqual(["approved", "approved"]);
});

test("the id of a changed tool cannot be computed by its page", async () => {
  const tool = { principal: "ann", origin: "https://shop.example", name: "work", definition: "{}" };
  const pins = { list: async () => ({ waiting: [tool] }) as never, accept: async () => {} };
  const ids = async () => {
    const source = createPinWaits(pins, createWaits({ record: () => {} }));
    return [await source.list("ann"), await source.list("ann")].flat().map(({ id }) => id);
  };
  const [[first, again], [other]] = [await ids(), await ids()];
  expect([first === again, first === other, first?.length]).toEqual([true, false, 32]);
});
