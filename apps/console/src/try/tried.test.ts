import { expect, test } from "vitest";
import { createTriedCalls } from "./tried.ts";

function memory() {
  const kept = new Map<string, string>();
  return {
    kept,
    storage: {
      read: (name: string) => kept.get(name),
      write: (name: string, text: string | undefined) =>
        Boolean(text === undefined ? kept.delete(name) : kept.set(name, text)),
    },
  };
}

const call = { app: "shop", method: "tools/call", name: "find", arguments: { id: 1 }, outcome: "ok", at: 1 };

test("the latest fifty are kept, each once, and each user's apart", () => {
  const { storage } = memory();
  const tried = createTriedCalls(storage, "ann");
  for (let id = 0; id < 60; id++) tried.add({ ...call, arguments: { id }, at: id });
  tried.add({ ...call, arguments: { id: 20 }, at: 99 });
  const listed = tried.list();
  expect([listed.length, listed[0]?.arguments, listed[1]?.arguments]).toEqual([50, { id: 20 }, { id: 59 }]);
  expect(createTriedCalls(storage, "bob").list()).toEqual([]);
  tried.clear();
  expect(tried.list()).toEqual([]);
});

test("what is large is not kept, and what is damaged is nothing", () => {
  const { storage, kept } = memory();
  const tried = createTriedCalls(storage, "ann");
  tried.add({ ...call, arguments: { text: "x".repeat(10_000) } });
  expect(tried.list()).toEqual([]);
  for (const text of ["{", "[]", "null", '{"calls":[{"name":1},7]}']) {
    kept.set("pagewire.tried ann", text);
    expect(tried.list()).toEqual([]);
  }
});
