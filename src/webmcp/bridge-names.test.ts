import fc from "fast-check";
import { expect, test } from "vitest";
import { startServer } from "../mcp-client/mcp-server.test-helper.ts";
import { safeNames } from "./bridge-tools.ts";
import { offering, register } from "./bridge.test-helper.ts";
import { fakeBrowser } from "./fake-browser.test-helper.ts";

test.each(["legacy", "modern"] as const)(
  "with safeNames a tool of the %s era with any name can be called, by one that browsers take",
  async (era) => {
    const browser = fakeBrowser();
    const names = ["with space", "a/b", "x".repeat(129), "日本語 🎉", "good"];
    const server = await startServer({ era, register: offering({ tools: () => names }) });
    const handle = await register({ url: server.url, prefix: "my:", safeNames: true });
    expect(handle.tools).toEqual([
      "my_with_space",
      "my_a_b",
      expect.stringMatching(/^my_x+_[0-9a-z]+$/),
      "my______",
      "my_good",
    ]);
    for (const [at, name] of names.entries()) {
      expect(await browser.call(handle.tools[at] ?? "")).toMatchObject({ content: [{ text: `${name} {}` }] });
    }
  },
);

test("who has a good name keeps it, wherever in the order it comes; of the same name the first does", () => {
  expect(safeNames(["a b", "a_b", "a_b", "a/b", "a_b_2", ""])).toEqual([
    "a_b_3",
    "a_b",
    "a_b_4",
    "a_b_5",
    "a_b_2",
    "_",
  ]);
  const long = "x".repeat(128);
  expect(safeNames([long, long, `${long}1`, `${long}2`])).toEqual([
    long,
    `${"x".repeat(126)}_2`,
    expect.stringMatching(/^x{120,}_[0-9a-z]+$/),
    expect.stringMatching(/^x{120,}_[0-9a-z]+$/),
  ]);
});

test("each tool gets a unique, valid and stable name, whatever the names", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("a_b", "a b", "a_b_2", "y".repeat(140)))), (wanted) => {
      const names = safeNames(wanted);
      expect(names).toHaveLength(wanted.length);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !/^[\w.-]{1,128}$/.test(name))).toEqual([]);
      expect(safeNames(wanted)).toEqual(names);
    }),
  );
});
