import fc from "fast-check";
import { expect, test } from "vitest";
import { fitReason, parseCloseReason } from "./close-reason.ts";

const bytesIn = (text: string) => new TextEncoder().encode(text).length;

test("L14: a reason of 123 bytes stays unchanged, and a longer one loses as few characters as possible", () => {
  expect(fitReason({ code: 4000, reason: "x".repeat(123) }).reason).toHaveLength(123);
  expect(fitReason({ code: 4000, reason: "x".repeat(124) }).reason).toHaveLength(123);
  const words = fc.array(fc.constantFrom("a", "ä", "語", "𝒳", "\ufeff"), { maxLength: 200 });
  fc.assert(
    fc.property(words, (characters) => {
      const { reason } = fitReason({ code: 4000, reason: characters.join("") });
      let fitting = characters;
      while (bytesIn(fitting.join("")) > 123) fitting = fitting.slice(0, -1);
      expect(reason).toBe(fitting.join(""));
    }),
    { numRuns: 1000 },
  );
});

test("L14: a peer's close has a code from 1000 to 4999 and a reason, and other fields are dropped", () => {
  for (const code of [1000, 1006, 4000, 4999]) {
    expect(parseCloseReason({ code, reason: "r", more: 1 })).toEqual({ code, reason: "r" });
  }
  expect(parseCloseReason({ code: 4000, reason: "x".repeat(1000) })?.reason).toHaveLength(123);
  for (const code of [999, 5000, 4000.5, NaN, -1, "4000", null, undefined]) {
    expect(parseCloseReason({ code, reason: "" })).toBeUndefined();
  }
  for (const wrong of [null, undefined, 4000, "4000", [], {}, { code: 4000 }, { code: 4000, reason: 5 }]) {
    expect(parseCloseReason(wrong)).toBeUndefined();
  }
});
