import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeText } from "./codec.ts";
import { pageLimits } from "./page-limits.ts";
import { shortMessage } from "./text.ts";

const headerOf = (message: string) =>
  encodeText({ type: "failure", id: "x".repeat(128), message: shortMessage(message) });

test("a message for people is cut to fit the header of a frame, whatever its characters", () => {
  for (const unit of ["x", "\u0001", "語", "\ud800", "👩", '"', "\\", "語\u0001", "語語語語\u0001"]) {
    const short = shortMessage(unit.repeat(10_000));
    expect(short).toMatch(/…$/);
    expect(short.length).toBeLessThanOrEqual(4096);
    expect(new TextEncoder().encode(headerOf(unit.repeat(10_000))).length).toBeLessThan(pageLimits.headerBytes);
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 6000 }), (message) => {
      expect(new TextEncoder().encode(headerOf(message)).length).toBeLessThan(pageLimits.headerBytes);
    }),
  );
});

test("a message that fits stays unchanged", () => {
  for (const message of ["", "broken", "x".repeat(4096), "\u0001".repeat(1024)]) {
    expect(shortMessage(message)).toBe(message);
  }
});
