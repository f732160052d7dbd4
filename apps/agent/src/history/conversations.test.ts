import { expect, test } from "vitest";
import { parseConversations } from "./parse-conversations.ts";
import { whenText } from "./when-text.ts";

test("AW62: what is no conversation is left out of the list", () => {
  const good = { id: "a", title: "", changedAt: 1 };
  const list = [
    good,
    { id: "", title: "x", changedAt: 1 },
    { id: "b", title: 1, changedAt: 1 },
    null,
    { ...good, changedAt: null },
  ];
  expect(parseConversations({ conversations: list })).toEqual([good]);
  for (const wrong of [undefined, null, [], { conversations: "x" }]) expect(parseConversations(wrong)).toEqual([]);
});

test("AW62: the time of a conversation is as short as it can be said", () => {
  const now = new Date(2026, 5, 17, 15, 30).getTime();
  expect(whenText(new Date(2026, 5, 17, 9, 5).getTime(), now)).toMatch(/9:05/);
  expect(whenText(new Date(2026, 5, 15, 9, 5).getTime(), now)).toMatch(/^[^\d]+$/);
  expect(whenText(new Date(2026, 3, 2).getTime(), now)).not.toContain("2026");
  expect(whenText(new Date(2024, 3, 2).getTime(), now)).toContain("2024");
});
