import { expect, test } from "vitest";
import { createToolTitles, readableText, toolOrigin, toolTitle } from "./readable-text.ts";

test("a past call keeps its tool's title when the app is gone, also after a reload; without storage, until then", () => {
  const tools = [{ name: "pay", title: "Pay now", description: "", parameters: {} }];
  const parent = { kind: "connected", origin: "https://shop.example", tools, via: "port", relay: "open" } as const;
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  };
  const titleOf = createToolTitles(storage);
  expect(titleOf("parent-window_pay", { kind: "none" })).toBe("pay");
  expect(titleOf("parent-window_pay", parent)).toBe("Pay now");
  expect(titleOf("parent-window_pay", { kind: "lost", origin: parent.origin })).toBe("Pay now");
  expect(createToolTitles(storage)("parent-window_pay", { kind: "none" })).toBe("Pay now");
  for (let count = 0; count < 500; count += 1) titleOf(`tool${count}`, parent, { title: `Tool ${count}` });
  expect((JSON.parse([...kept.values()].join("")) as unknown[]).length).toBe(200);
  const full = createToolTitles({
    getItem: () => "{",
    setItem: () => {
      throw new Error("It is full.");
    },
  });
  expect([full("pay", parent, { title: "Pay" }), full("pay", { kind: "none" })]).toEqual(["Pay", "Pay"]);
});

test("JSON gets line breaks, and deeply nested data stays as short as it was", () => {
  expect(readableText('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(readableText("{not JSON}")).toBe("{not JSON}");
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  expect(readableText(deep)).toBe(deep);
});

test("JSON is written with line breaks, other text as it is, and what cannot be seen by its number", () => {
  expect(readableText('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(readableText('{"a":')).toBe('{"a":');
  expect(readableText("12")).toBe("12");
  expect(readableText("pay\u202Eyap\u200B")).toBe("pay⟨U+202E⟩yap⟨U+200B⟩");
});

test("a tool of the parent's is called by its title, and belongs to the parent; another one by its name", () => {
  const tools = [{ name: "pay", title: "Pay\u202E", description: "", parameters: {} }];
  const parent = { kind: "connected", origin: "https://shop.example", tools, via: "port", relay: "open" } as const;
  const waiting = { kind: "waiting" } as const;
  expect(toolTitle("parent-window_pay", parent)).toBe("Pay⟨U+202E⟩");
  expect([toolTitle("parent-window_pay", waiting), toolTitle("other_pay", parent)]).toEqual(["pay", "other_pay"]);
  expect([toolOrigin("parent-window_pay", parent), toolOrigin("other_pay", parent)]).toEqual([
    "https://shop.example",
    undefined,
  ]);
});
