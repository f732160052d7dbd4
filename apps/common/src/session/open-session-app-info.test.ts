import { expect, test } from "vitest";
import { parseAppInfo } from "./open-session.ts";
import { info } from "./session.test-helper.ts";

test("the hub's information is parsed or refused", () => {
  expect(parseAppInfo({ ...info, more: 1 })).toEqual(info);
  expect(parseAppInfo({ ...info, model: null, demo: "http://d" })).toEqual({ ...info, model: null, demo: "http://d" });
  expect(parseAppInfo({ ...info, model: { provider: 1 } }).model).toBeNull();
  for (const wrong of [
    null,
    "text",
    {},
    { ...info, mode: "x" },
    { ...info, principal: 1 },
    { ...info, parentOrigins: [1] },
  ]) {
    expect(() => parseAppInfo(wrong)).toThrow("The hub did not say who it is");
  }
});
