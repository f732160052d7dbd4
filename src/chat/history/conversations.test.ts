import { expect, test } from "vitest";
import { parseConversations } from "./conversations.ts";

test("the list omits entries that are not conversations", () => {
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
