import { expect, test } from "vitest";
import { browserName } from "./browser-name.ts";

test.each([
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Chrome on Linux",
  ],
  ["Mozilla/5.0 (Windows NT 10.0; Win64) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", "Edge on Windows"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605.1.15 Version/17 Safari/605.1.15", "Safari on Mac OS"],
  ["Mozilla/5.0 (Linux; Android 15) Firefox/140.0", "Firefox on Android"],
  ["Firefox/1", "Firefox"],
  ["Work laptop", "Work laptop"],
])("%s is called %s", (text, name) => {
  expect(browserName(text)).toBe(name);
});
