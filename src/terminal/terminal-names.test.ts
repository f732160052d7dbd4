import { expect, test } from "vitest";
import { defaultLimits } from "../wire/index.ts";
import { listed, terminalName } from "./terminal-names.ts";

const named = (name: string, createdAt = 0) => ({ id: "x".repeat(32), name, createdAt });

test("a name has no control, bidirectional or invisible characters; an empty one becomes a default name", () => {
  expect(terminalName("a\u0007b\u202ec\u009b", [])).toBe("abc");
  expect(terminalName("a\u200bb\u{e0041}c\ufeff", [])).toBe("abc");
  for (const empty of [undefined, "", " \n"]) expect(terminalName(empty, [])).toBe("Terminal 1");
  expect(
    terminalName(
      undefined,
      ["Terminal 1", "Terminal 3"].map((name) => named(name)),
    ),
  ).toBe("Terminal 2");
});

test("terminals are listed by age; if a frame has no room for all, only the newest are", () => {
  expect(listed([named("b", 2), named("a", 1)]).map(({ name }) => name)).toEqual(["a", "b"]);
  expect(listed([])).toEqual([]);
  const many = Array.from({ length: 500 }, (_, n) => named('"'.repeat(128), n));
  const kept = listed(many);
  expect(JSON.stringify(kept).length).toBeLessThan(defaultLimits.headerBytes - 1024);
  expect(kept.length).toBeGreaterThan(30);
  expect(kept.at(-1)?.createdAt).toBe(499);
});
