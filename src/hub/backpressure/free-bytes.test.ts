import { expect, test } from "vitest";
import { freeBytes } from "./free-bytes.ts";

test("bytes that are given back have no length, and those that share their memory with others stay", () => {
  const [own, other] = [new Uint8Array(100_000), new Uint8Array(100_000)];
  const pooled = Buffer.from("in the pool that all small buffers share");
  const part = new Uint8Array(100).subarray(10);
  freeBytes([own, other, own, pooled, part]);
  expect([own, other, part].map(({ length }) => length)).toEqual([0, 0, 90]);
  expect(pooled.toString()).toBe("in the pool that all small buffers share");
  freeBytes([]);
});
