import fc from "fast-check";
import { expect, test } from "vitest";
import { KeptOutput } from "./stream.ts";

test("output is read back from any of its parts on, and no character is split", () => {
  const part = fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("x😀".repeat(9000)));
  const sizes = fc.integer({ min: 900, max: 70_000 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.nat(8), sizes, (parts, skipped, max) => {
      const kept = new KeptOutput();
      for (const text of parts) kept.add(text);
      const start = parts.slice(0, skipped).join("").length;
      expect([kept.start, kept.end]).toEqual([0, parts.join("").length]);
      const read: string[] = [];
      for (let at = start; at < kept.end; at += read.at(-1)?.length ?? 1) read.push(kept.read(at, max));
      expect(read.join("")).toBe(parts.slice(skipped).join(""));
      for (const each of read) expect(each).not.toMatch(/[\ud800-\udbff]$/);
    }),
  );
});

test("trimming drops the oldest output, no more than necessary, and nothing that a reader needs", () => {
  const kept = new KeptOutput();
  for (let n = 0; n < 100; n++) kept.add(String(n % 10).repeat(10_000));
  kept.trim(300_000, 1_000_000);
  expect(kept.end - kept.start).toBeGreaterThanOrEqual(300_000);
  expect(kept.end - kept.start).toBeLessThan(320_000);
  expect(kept.read(kept.start, 1)).toBe("0");
  kept.trim(0, 900_000);
  expect(kept.start).toBe(900_000);
});
