import { expect, test } from "vitest";
import { createPageWaits } from "./page-waits.ts";
import { createWaits } from "./waits.ts";

const page = { principal: "ann", origin: "https://shop.example", app: "shop" };

function setUp() {
  const timers = new Map<object, { readonly milliseconds: number; readonly run: () => void }>();
  const waits = createWaits({ record: () => {} });
  const pages = createPageWaits(waits, (milliseconds, run) => {
    const timer = {};
    timers.set(timer, { milliseconds, run });
    return () => timers.delete(timer);
  });
  let changes = 0;
  waits.watch("ann", () => changes++);
  const listed = async () =>
    (await waits.list("ann")).waits.map(({ kind, app, message }) => message ?? `${kind} ${app}`);
  return { pages, waits, timers, listed, changes: () => changes };
}

test("IN13: a page that has not tried again for 90 s is listed no more, and each try begins that time again", async () => {
  const { pages, timers, listed, changes } = setUp();
  pages.signedOut(page);
  const [first] = timers.values();
  pages.signedOut(page);
  const [second] = timers.values();
  expect([first?.milliseconds, second === first, timers.size, changes()]).toEqual([90_000, false, 1, 1]);
  expect(await listed()).toEqual(["sign-in shop"]);
  second?.run();
  expect([await listed(), changes()]).toEqual([[], 2]);
});

test("20 pages of a principal that wait for a sign-in are listed, and none of them for another", async () => {
  const { pages, waits, timers, listed } = setUp();
  for (let n = 0; n < 30; n++) pages.signedOut({ ...page, app: `app ${n}` });
  expect([(await listed()).length, timers.size]).toEqual([20, 20]);
  expect((await waits.list("bob")).waits).toEqual([]);
});

test("IN12: two connections of one tab are two, and an equal report is no change", async () => {
  const { pages, listed, changes } = setUp();
  const [old, next] = ["One?", "Two?"].map((dialog) =>
    pages.connected({ ...page, tabId: "t" }, { title: "A", dialog }),
  );
  next?.described({ title: "B", dialog: "Two?" });
  old?.closed();
  old?.closed();
  expect([await listed(), changes()]).toEqual([["Two?"], 3]);
  next?.described({});
  expect([await listed(), changes()]).toEqual([[], 4]);
});
