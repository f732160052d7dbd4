import { expect, test } from "vitest";
import { CallList, mostRows } from "./call-list.ts";

/** A hub's audit; a call's number is its id. */
function createAudit(count: number) {
  let last = count;
  const asked: Readonly<Record<string, string>>[] = [];
  return {
    asked,
    happen: (more: number) => void (last += more),
    async read(parameters: Readonly<Record<string, string>>) {
      asked.push(parameters);
      const limit = Number(parameters["limit"]);
      const { before, after } = parameters;
      if (after !== undefined) {
        const calls = numbers(Number(after) + 1, Math.min(last, Number(after) + limit)).map(recordOf);
        return { isRecorded: true, calls, before: null, after: String(calls.at(-1)?.id ?? after) };
      }
      const newest = before === undefined ? last : Number(before) - 1;
      const oldest = Math.max(1, newest - limit + 1);
      const calls = numbers(oldest, newest).toReversed().map(recordOf);
      return { isRecorded: true, calls, before: oldest > 1 ? String(oldest) : null, after: String(newest) };
    },
  };
}

const numbers = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
const recordOf = (n: number) => ({ id: String(n), at: new Date(n).toISOString(), name: "work", outcome: "ok" });

async function open(count: number) {
  const audit = createAudit(count);
  const list = new CallList(audit);
  await settle();
  const ids = () => list.state.value.rows.map(({ id }) => Number(id));
  return { audit, list, ids };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));

test("the newest calls come first, earlier ones when they are wanted, and new ones at the top", async () => {
  const { audit, list, ids } = await open(450);
  expect(ids()).toEqual(numbers(251, 450).toReversed());
  await list.older();
  await list.older();
  audit.happen(3);
  await list.follow();
  expect(ids()).toEqual(numbers(1, 453).toReversed());
  expect(list.state.value).toMatchObject({ hasOlder: false, hasNewest: true, isLoading: false, news: 0 });
});

test("a list that is held counts what happens, and keeps its rows until it goes on", async () => {
  const { audit, list, ids } = await open(10);
  list.hold(true);
  audit.happen(250);
  await list.follow();
  expect(ids()).toEqual(numbers(1, 10).toReversed());
  expect(list.state.value.news).toBe(250);
  list.hold(false);
  await settle();
  expect(ids()).toEqual(numbers(61, 260).toReversed());
  expect(list.state.value.news).toBe(0);
});

test("rows are bounded at both ends, and none is skipped or shown twice", async () => {
  const { audit, list, ids } = await open(mostRows + 400);
  for (let n = 0; n < 17; n++) await list.older();
  expect(ids()).toEqual(numbers(1, mostRows).toReversed());
  expect(list.state.value.hasNewest).toBe(false);
  list.hold(true);
  list.hold(false);
  await settle();
  expect(ids()[0]).toBe(mostRows + 400);
  for (let n = 0; n < 20; n++) {
    audit.happen(199);
    await list.follow();
  }
  const newest = mostRows + 400 + 20 * 199;
  expect(ids()).toEqual(numbers(newest - mostRows + 1, newest).toReversed());
  await list.older();
  expect(new Set(ids()).size).toBe(mostRows);
  expect(ids().at(-1)).toBe(newest - mostRows + 1 - 200);
});

test("who is too far behind begins again with the newest", async () => {
  const { audit, list, ids } = await open(10);
  audit.happen(5000);
  await list.follow();
  await settle();
  expect(ids()).toEqual(numbers(4811, 5010).toReversed());
  expect(audit.asked.length).toBeLessThan(8);
});

test("a failure is shown, and the next look that works takes it away", async () => {
  let isBroken = true;
  const { read } = createAudit(3);
  const list = new CallList({ read: (given) => (isBroken ? Promise.reject(new Error("Away.")) : read(given)) });
  await settle();
  expect(list.state.value).toMatchObject({ problem: new Error("Away."), isLoading: false });
  isBroken = false;
  await list.follow();
  expect(list.state.value).toMatchObject({ problem: undefined, rows: [{ id: "3" }, { id: "2" }, { id: "1" }] });
});
