import { expect, test } from "vitest";
import { readableText } from "./readable-text.ts";

test("JSON gets line breaks, and deeply nested data stays as short as it was", () => {
  expect(readableText('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(readableText("{not JSON}")).toBe("{not JSON}");
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  expect(readableText(deep)).toBe(deep);
});
