import fc from "fast-check";
import { expect, test } from "vitest";
import { pageFrom, startOf } from "./lists.ts";

const fixed = ["list_tabs", "list_tools", "call_tool"];
const listOf = (...names: readonly string[]) => [...fixed, ...names.toSorted()];
const nameOf = (name: string) => name;
const next = (list: readonly string[], cursor?: string, size = 2) =>
  pageFrom(list, startOf(list, cursor, nameOf), { size, nameOf });

/** Reads a list page by page; `between` returns the list for the next page. */
function readPages(start: readonly string[], size: number, between: (page: number) => readonly string[]): string[] {
  const read: string[] = [];
  let list = start;
  for (let page = 1, cursor: string | undefined; ; page++) {
    const { items, nextCursor } = next(list, cursor, size);
    read.push(...items);
    if (nextCursor === undefined) return read;
    if (page > 100) throw new Error("The list has no end.");
    expect(items.length).toBe(Math.max(1, size));
    cursor = nextCursor;
    list = between(page);
  }
}

test("a list comes in pages of the size asked for, in its order, and the last page has no cursor", () => {
  const list = listOf("a", "b", "z");
  const first = next(list);
  expect(first.items).toEqual(["list_tabs", "list_tools"]);
  const second = next(list, first.nextCursor);
  expect(second.items).toEqual(["call_tool", "a"]);
  expect(next(list, second.nextCursor)).toEqual({ items: ["b", "z"] });
  for (const size of [0, 1, 3, 4, 6, 7, Infinity]) expect(readPages(list, size, () => list)).toEqual(list);
});

test("a list that fits into one page, or is empty, has no cursor", () => {
  expect(next([])).toEqual({ items: [] });
  expect(next(["a", "b"])).toEqual({ items: ["a", "b"] });
});

test("an item that exists throughout is listed exactly once, even if others change between pages", () => {
  const names = fc.uniqueArray(fc.oneof(fc.constantFrom("a", "b", "m", "x", "é", "\u{1f600}"), fc.string()), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(
      names,
      fc.array(names, { minLength: 12, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      (kept, others, size) => {
        const lists = others.map((some) =>
          listOf(...new Set([...kept, ...some].filter((name) => !fixed.includes(name)))),
        );
        const read = readPages(lists[0] ?? [], size, (page) => lists[page % lists.length] ?? []);
        for (const name of listOf(...kept.filter((one) => !fixed.includes(one)))) {
          expect(read.filter((one) => one === name)).toEqual([name]);
        }
        expect(new Set(read).size).toBe(read.length);
      },
    ),
  );
});

test("the next page begins after the last name even if that name was removed", () => {
  const { items, nextCursor } = next(listOf("a", "b", "c"), undefined, 4);
  expect(items.at(-1)).toBe("a");
  expect(next(listOf("b", "c"), nextCursor).items).toEqual(["b", "c"]);
  expect(next(listOf(), nextCursor)).toEqual({ items: [] });
});

test("a cursor that was not given is refused", () => {
  const { nextCursor = "" } = next(listOf("a", "b"));
  const encode = (text: string) => Buffer.from(text).toString("base64url");
  const wrong = ["", "1", "a b", `${nextCursor}=`, `${nextCursor}!`, nextCursor.slice(1), nextCursor.slice(0, -1)];
  const forms = [
    "null",
    "{}",
    '"a"',
    "[]",
    '["a"]',
    '["a","b"]',
    "[1,1]",
    '["a",[1]]',
    "[[[[[[1]]]]]]",
    "[".repeat(9999),
  ];
  for (const cursor of [...wrong, ...forms.map(encode)]) {
    expect(() => next(listOf("a"), cursor), cursor).toThrow(expect.objectContaining({ code: "request-malformed" }));
  }
});

test("a cursor that was made up begins somewhere in the caller's own list", () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  for (const value of [
    ["zzz", 0],
    ["", -5],
    ["a", 1e300],
  ]) {
    const { items } = next(listOf("a", "b"), encode(value));
    expect(listOf("a", "b")).toEqual(expect.arrayContaining([...items]));
  }
});
