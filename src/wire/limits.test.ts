import { expect, test } from "vitest";
import { defaultLimits, resolveLimits } from "./limits.ts";

test("omitted limits have their defaults", () => {
  expect(resolveLimits()).toEqual(defaultLimits);
  expect(resolveLimits({ callTime: undefined as unknown as number })).toEqual(defaultLimits);
  expect(resolveLimits({ callTime: 5 })).toEqual({ ...defaultLimits, callTime: 5 });
});

test("zero and infinity are limits too", () => {
  expect(resolveLimits({ cutTime: 0, callTime: Infinity })).toMatchObject({ cutTime: 0, callTime: Infinity });
});

test("an unknown limit is refused by its name", () => {
  for (const name of ["callTimes", "CallTime", ""]) {
    expect(() => resolveLimits({ [name]: 5 })).toThrow(`"${name}"`);
  }
});

test("a limit that is not a number of zero or more is refused by its name", () => {
  for (const wrong of [-1, NaN, "5", null, {}]) {
    expect(() => resolveLimits({ callTime: wrong as number })).toThrow(/"callTime" must be a number of zero or more/);
  }
});

test("the refusal of a limit is an error with options-invalid", () => {
  expect(() => resolveLimits({ callTime: -1 })).toThrow(expect.objectContaining({ code: "options-invalid" }) as Error);
});
