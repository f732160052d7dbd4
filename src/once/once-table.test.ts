import { expect, test } from "vitest";
import { createOnceTable } from "./once-table.ts";
import type { OnceOptions } from "./once-table.ts";

/** A table of texts with a clock that the test controls. */
function tableOf(bounds: Partial<OnceOptions<string>> = {}) {
  const clock = { now: 0 };
  const table = createOnceTable<string, string>({
    now: () => clock.now,
    time: 1000,
    size: 1000,
    expired: 10,
    weigh: (id, fingerprint, result = "") => id.length + fingerprint.length + result.length,
    ...bounds,
  });
  const done = (id: string, result = "done", fingerprint = "print") => {
    table.begin(id, fingerprint, "work");
    table.end(id, result);
  };
  return { clock, table, done };
}

test("an id is new, runs, has ended, or is in conflict with another fingerprint", () => {
  const { table } = tableOf();
  expect(table.find("id", "print")).toBeUndefined();
  table.begin("id", "print", "work");
  expect(table.find("id", "print")).toMatchObject({ work: "work", result: undefined });
  expect([table.find("id", "other"), table.find("id")]).toEqual(["conflict", expect.objectContaining({ at: 0 })]);
  table.end("id", "done");
  expect(table.find("id", "print")).toMatchObject({ work: undefined, result: "done" });
  expect(table.find("id", "other")).toBe("conflict");
});

test("an empty fingerprint matches all", () => {
  const { table, done } = tableOf();
  done("id", "done", "");
  expect(table.find("id", "print")).toMatchObject({ result: "done" });
});

test("a result is kept for its time after the end, and its id is known to be used up afterwards", () => {
  const { clock, table } = tableOf();
  table.begin("id", "print", "work");
  clock.now = 5000;
  expect(table.trim()).toBeUndefined();
  table.end("id", "done");
  expect(table.trim()).toBe(1000);
  clock.now = 5999;
  expect([table.trim(), table.find("id", "print")]).toMatchObject([1, { result: "done" }]);
  clock.now = 6000;
  expect([table.trim(), table.find("id", "print")]).toEqual([undefined, "expired"]);
});

test("beyond the size the oldest results are evicted, and never running work", () => {
  const { table, done } = tableOf({ size: 30 });
  table.begin("running", "x".repeat(200), "work");
  done("one");
  expect(table.find("one")).toBe("expired");
  table.forget("running");
  for (const id of ["two", "three", "four"]) done(id);
  expect(["two", "three", "four"].map((id) => table.find(id))).toEqual([
    "expired",
    expect.objectContaining({ result: "done" }),
    expect.objectContaining({ result: "done" }),
  ]);
  done("large", "x".repeat(17));
  expect(["three", "four", "large"].map((id) => table.find(id) === "expired")).toEqual([true, true, false]);
});

test("the most recently used-up ids are known", () => {
  const { clock, table, done } = tableOf({ expired: 2 });
  for (const id of ["one", "two", "three"]) {
    done(id);
    clock.now += 1000;
    table.trim();
  }
  expect(["one", "two", "three"].map((id) => table.find(id))).toEqual([undefined, "expired", "expired"]);
});

test("a forgotten id can be used again, and weighs nothing", () => {
  const { table, done } = tableOf({ size: 20 });
  for (const id of ["one", "one", "one"]) {
    done(id);
    table.forget(id);
    table.forget(id);
    table.end(id, "late");
    expect(table.find(id)).toBeUndefined();
  }
  done("kept");
  expect(table.find("kept")).toMatchObject({ result: "done" });
});
