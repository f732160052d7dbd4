import { expect, test } from "vitest";
import { takeTurn } from "../join-browser-tools.ts";

test("of several in a document one has its turn, and the next when it is over", () => {
  const running = new Set<string>();
  const begin = (name: string) => () => {
    running.add(name);
    return () => void running.delete(name);
  };
  const [first, second, third] = ["first", "second", "third"].map((name) => takeTurn(begin(name)));
  expect([...running]).toEqual(["first"]);
  second?.();
  second?.();
  expect([...running]).toEqual(["first"]);
  first?.();
  first?.();
  expect([...running]).toEqual(["third"]);
  third?.();
  expect([...running]).toEqual([]);
});
