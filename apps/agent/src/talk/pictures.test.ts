import { expect, test } from "vitest";
import { acceptPictures } from "./view/attach.ts";
import { readableText } from "./state/readable-text.ts";
import { toolOrigin, toolTitle } from "./state/tool-title.ts";

const file = (name: string, type = "image/png", size = 3) => ({ name, type, size }) as File;
const names = (files: readonly File[]) => files.map(({ name }) => name);

test("PNG, JPEG, GIF and WebP pictures are taken, eight of them and 5 MB together; others are refused by name", () => {
  const mixed = acceptPictures([file("a.png"), file("b.svg", "image/svg+xml"), file("c.webp", "image/webp")], []);
  expect([names(mixed.accepted), mixed.problems]).toEqual([
    ["a.png", "c.webp"],
    ['"b.svg" cannot be sent: choose a PNG, JPEG, GIF or WebP picture.'],
  ]);
  const many = Array.from({ length: 9 }, (_, at) => file(`${at}.png`));
  expect(acceptPictures(many, ["data:image/png;base64,AA"])).toMatchObject({ accepted: { length: 7 } });
  const large = acceptPictures([file("large.png", "image/png", 6_000_000), file("small.png")], []);
  expect([names(large.accepted), large.problems]).toEqual([["small.png"], [expect.stringContaining("large.png")]]);
  const full = acceptPictures([file("more.png", "image/png", 3_000_000)], ["x".repeat(4_000_000)]);
  expect([full.accepted, full.problems]).toEqual([[], [expect.stringContaining("5 MB")]]);
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
