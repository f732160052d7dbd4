import { expect, test } from "vitest";
import { budgetText, bytesText, countText } from "./describe.ts";

test("sizes are readable, and rounded where nobody would miss it", () => {
  expect([0, 999, 1536, 10_240, 8 * 1024 * 1024, 3 * 1024 ** 3, 5000 * 1024 ** 3].map(bytesText)).toEqual([
    "0 B",
    "999 B",
    "1.5 KB",
    "10 KB",
    "8 MB",
    "3 GB",
    "5000 GB",
  ]);
});

test("a budget is said in words, and one of a newer hub by its name", () => {
  expect(budgetText({ name: "tabsPerPrincipal", used: 2, max: 1000 })).toEqual({ label: "Tabs", value: "2 of 1,000" });
  expect(budgetText({ name: "offeredBytesPerPrincipal", used: 2048, max: 8_388_608 }).value).toBe("2 KB of 8 MB");
  expect(budgetText({ name: "wishes", used: 1, max: 3 })).toEqual({ label: "wishes", value: "1 of 3" });
  expect([countText(0, "tool"), countText(1, "tool"), countText(2, "tool")]).toEqual(["0 tools", "1 tool", "2 tools"]);
});
