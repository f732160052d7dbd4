import { expect, test } from "vitest";
import { checkLink } from "./check-link.ts";

test("only web addresses can be opened", () => {
  expect(checkLink("https://shop.example/a?b#c")).toEqual({ href: "https://shop.example/a?b#c", doubt: undefined });
  expect(checkLink("http://localhost:3000")).toEqual({ href: "http://localhost:3000/", doubt: undefined });
  const others = [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "vscode://open",
    "//shop.example",
    "x",
  ];
  for (const address of others) expect(checkLink(address)).toBeUndefined();
});

test("a suspicious address has a warning", () => {
  const doubt = (address: string, shown?: string) => checkLink(address, shown)?.doubt;
  expect(doubt("https://bank.example@evil.example/")).toContain("leads to evil.example");
  expect(doubt("https://аpple.example/")).toContain("may look like others: xn--");
  expect(doubt("https://xn--pple-43d.example/")).toContain("may look like others");
  expect(doubt("https://shop.example/\u202Egpj.exe")).toContain("cannot be seen");
  expect(doubt("https://evil.example/", "https://bank.example/")).toBe(
    'The text "https://bank.example/" leads to evil.example.',
  );
  // A mark that turns the direction would turn the sentence, too.
  expect(doubt("https://evil.example/", "\u202Emoc.knab")).toBe('The text "⟨U+202E⟩moc.knab" leads to evil.example.');
  expect(doubt("https://evil.example/", "click here")).toContain("leads to evil.example");
  expect(doubt("https://evil.example/?bank.example/", "bank.example/")).toContain("leads to evil.example");
});

test("a text that names the target is not suspicious", () => {
  for (const shown of [
    "https://shop.example/orders",
    "shop.example/orders",
    "shop.example",
    " https://shop.example/orders ",
  ])
    expect(checkLink("https://shop.example/orders", shown)?.doubt).toBeUndefined();
});
