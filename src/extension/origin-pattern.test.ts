import { expect, test } from "vitest";
import { isMeant, originPattern, patternOrigin, siteOrigin } from "./origin-pattern.ts";

const chromium = { getURL: (path: string) => `chrome-extension://abc/${path}` };
const firefox = { getURL: (path: string) => `moz-extension://abc/${path}` };

test.each([
  ["https://shop.example/a?b#c", "https://shop.example"],
  ["http://127.0.0.1:3000/", "http://127.0.0.1:3000"],
  ["chrome://extensions", undefined],
  ["file:///home/a.html", undefined],
  ["about:blank", undefined],
  ["chrome-extension://abc/popup.html", undefined],
  ["no address", undefined],
  [undefined, undefined],
])("the site of %s is %s", (address, origin) => {
  expect(siteOrigin(address)).toBe(origin);
});

test.each([
  ["https://shop.example", "https://shop.example:443/*", "https://shop.example/*"],
  ["http://localhost", "http://localhost:80/*", "http://localhost/*"],
  ["http://localhost:3000", "http://localhost:3000/*", "http://localhost/*"],
  ["http://[::1]:8080", "http://[::1]:8080/*", "http://[::1]/*"],
])("%s has the pattern %s, and %s where patterns have no port", (origin, withPort, without) => {
  expect([originPattern(origin, chromium), originPattern(origin, firefox)]).toEqual([withPort, without]);
  expect(patternOrigin(withPort)).toBe(origin);
});

test("a permission for every port is meant for the origins that the person allowed, and for all where they allowed none", () => {
  const other = "http://localhost:4000";
  const settings = (allowed: string[], removed: string[] = []) => ({ paused: false, sites: {}, allowed, removed });
  const [here, there] = ["http://localhost:3000", "https://localhost:3000"];
  expect(isMeant(settings([]), other, firefox)).toBe(true);
  expect(isMeant(settings([here]), here, firefox)).toBe(true);
  expect(isMeant(settings([here]), other, firefox)).toBe(false);
  expect(isMeant(settings([there]), other, firefox)).toBe(true);
  // Chromium's permissions have ports: one for all of them is the person's own choice.
  expect(isMeant(settings([here]), other, chromium)).toBe(true);
  for (const runtime of [chromium, firefox]) expect(isMeant(settings([here], [here]), here, runtime)).toBe(false);
});

test.each(["https://*/*", "*://*/*", "*://shop.example/*", "https://*.shop.example/*", "<all_urls>"])(
  "the pattern %s is of no single origin",
  (pattern) => expect(patternOrigin(pattern)).toBeUndefined(),
);
