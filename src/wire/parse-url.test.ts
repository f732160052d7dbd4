import { expect, test } from "vitest";
import { parseUrl } from "./text.ts";

test("an address outside ASCII is one, however often it is read", () => {
  const hosts = new Set(Array.from({ length: 30_000 }, () => parseUrl("https://bücher.example")?.host));
  expect([...hosts]).toEqual(["xn--bcher-kva.example"]);
  expect(parseUrl("bücher")).toBeUndefined();
});
