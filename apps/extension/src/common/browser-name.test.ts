import { expect, test } from "vitest";
import { browserName } from "./browser-name.ts";

const agent = (system: string, rest: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`;
const mac = "Macintosh; Intel Mac OS X 10_15_7";
const brands = (...names: string[]) => ({ brands: names.map((brand) => ({ brand })), platform: "" });

test.each([
  ["Chrome on macOS", agent(mac, "Chrome/149.0.0.0 Safari/537.36"), brands("Not)A;Brand", "Chromium", "Google Chrome")],
  ["Edge on Windows", agent("Windows NT 10.0", "Chrome/149.0.0.0 Safari/537.36 Edg/149"), brands("Microsoft Edge")],
  ["Brave on Linux", agent("X11; Linux x86_64", "Chrome/149.0.0.0 Safari/537.36"), brands("Chromium", "Brave")],
  ["Chromium on Linux", agent("X11; Linux x86_64", "Chrome/149.0.0.0"), brands("Chromium", "Not A Brand")],
  ["Firefox on Windows", "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0", undefined],
  ["Firefox on Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", undefined],
  ["Opera on ChromeOS", agent("X11; CrOS x86_64", "Chrome/149.0.0.0 Safari/537.36 OPR/120"), undefined],
  ["Browser", "", undefined],
])("%s", (name, userAgent, userAgentData) => {
  expect(browserName({ userAgent, ...(userAgentData && { userAgentData }) })).toBe(name);
});
