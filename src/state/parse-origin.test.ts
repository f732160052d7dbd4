import fc from "fast-check";
import { expect, test } from "vitest";
import { originProblem, parseOrigin } from "./origins-file.ts";

test.each([
  ["https://shop.example", "https://shop.example"],
  ["HTTPS://Shop.Example", "https://shop.example"],
  ["https://shop.example:443", "https://shop.example"],
  ["http://shop.example:80", "http://shop.example"],
  ["http://localhost:5173", "http://localhost:5173"],
  ["http://[::1]:5173", "http://[::1]:5173"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
  ["chrome-extension://abcdefghijklmnop", "chrome-extension://abcdefghijklmnop"],
  ["tauri://localhost", "tauri://localhost"],
])("%s is the origin %s", (text, origin) => {
  expect(parseOrigin(text)).toBe(origin);
});

test.each([
  "",
  "null",
  "*",
  "https://*",
  "https://*.shop.example",
  "shop.example",
  "localhost:5173",
  "https://",
  "https://shop.example/",
  "https://shop.example/path",
  "https://shop.example?query",
  "https://shop.example#part",
  "https://user@shop.example",
  "https://user:word@shop.example",
  "https:\\\\shop.example",
  "https://shop.example:",
  "https://shop.example:99999",
  "https://shop example",
  " https://shop.example",
  "https://shop.example\n",
  "https://%73hop.example",
  "https://$(id).example",
  "https://`id`.example",
  "https://shop;id",
  "https://shop|id",
  "https://shop&id",
  "https://shop'id'",
  "https://[::1",
  "ws://shop.example",
  "file:///home/ada/page.html",
  "data:text/html,hello",
])("%j is no origin", (text) => {
  expect(parseOrigin(text)).toBeUndefined();
});

test("what is no origin is refused with what is wrong and what was probably meant", () => {
  expect(originProblem("http://localhost:5173/")).toContain('Did you mean "http://localhost:5173"?');
  expect(originProblem("https://Shop.example/cart?id=1")).toContain('Did you mean "https://shop.example"?');
  expect(originProblem("localhost:5173")).toContain('Did you mean "http://localhost:5173"?');
  expect(originProblem("https://*.shop.example")).toContain("Wildcards are not possible");
  expect(originProblem("null")).toContain("Pages without an origin of their own");
  expect(originProblem("")).toContain('Write it like this: "https://shop.example"');
});

test("an origin that was read is read as itself", () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string()), (text) => {
      const origin = parseOrigin(text) ?? "";
      expect(parseOrigin(origin) ?? "").toBe(origin);
    }),
  );
});
