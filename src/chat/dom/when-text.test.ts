import { expect, test } from "vitest";
import { whenText } from "./when-text.ts";

test("the time of a conversation is as short as it can be said", () => {
  const now = new Date(2026, 5, 17, 15, 30).getTime();
  expect(whenText(new Date(2026, 5, 17, 9, 5).getTime(), now)).toMatch(/9:05/);
  expect(whenText(new Date(2026, 5, 15, 9, 5).getTime(), now)).toMatch(/^[^\d]+$/);
  expect(whenText(new Date(2026, 3, 2).getTime(), now)).not.toContain("2026");
  expect(whenText(new Date(2024, 3, 2).getTime(), now)).toContain("2024");
});
