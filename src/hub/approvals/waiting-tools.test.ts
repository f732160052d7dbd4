import { expect, test } from "vitest";
import { createWaitingTools } from "./waiting-tools.ts";

const limits = { pinsPerPrincipal: 3, pinBytesPerPrincipal: 1000 };
const tool = (definition: string, before?: string) => ({ definition, before });
const names = (waiting: ReturnType<typeof createWaitingTools>, principal = "ann") => [...waiting.of(principal).keys()];

test("of more tools that wait than are kept the oldest makes room, by number and by bytes", () => {
  const waiting = createWaitingTools(limits);
  for (const key of ["a", "b", "c", "d", "b"]) waiting.add("ann", key, tool("{}"));
  expect(names(waiting)).toEqual(["c", "d", "b"]);
  waiting.add("ann", "e", tool("x".repeat(500), "ü".repeat(249)));
  expect(names(waiting)).toEqual(["b", "e"]);
  waiting.add("ann", "f", tool("x".repeat(2000)));
  expect(names(waiting)).toEqual([]);
  waiting.add("ann", "g", tool("{}"));
  expect(names(waiting)).toEqual(["g"]);
});

test("what waits of very many principals, or in very many bytes, is let go of those who came first", () => {
  const waiting = createWaitingTools({ pinsPerPrincipal: 3, pinBytesPerPrincipal: 20_000_000 });
  for (let n = 0; n <= 200; n++) waiting.add(`user ${n}`, "a", tool("{}"));
  expect([names(waiting, "user 0"), names(waiting, "user 1")]).toEqual([[], ["a"]]);
  const large = tool("x".repeat(17_000_000));
  for (const name of ["one", "two", "three", "four"]) waiting.add(name, "a", large);
  expect(["user 200", "one", "two", "four"].map((name) => names(waiting, name))).toEqual([[], [], ["a"], ["a"]]);
});

test("a waiting tool is reported the first time, and again after a decision", () => {
  const waiting = createWaitingTools(limits);
  expect([waiting.add("ann", "a", tool("1")), waiting.add("ann", "a", tool("2"))]).toEqual([true, false]);
  waiting.delete("ann", "a");
  expect([names(waiting), waiting.add("ann", "a", tool("1"))]).toEqual([[], false]);
  waiting.settle("ann", "a");
  expect([names(waiting), waiting.add("ann", "a", tool("3"))]).toEqual([[], true]);
  waiting.delete("bob", "a");
  waiting.settle("bob", "a");
  expect(names(waiting)).toEqual(["a"]);
});
