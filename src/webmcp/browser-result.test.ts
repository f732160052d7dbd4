import { expect, test, vi } from "vitest";
import type { CallOutcome } from "../toolbox/index.ts";
import { browserAnswer } from "./browser-result.ts";

const result = (value: unknown): CallOutcome => ({ kind: "result", payload: JSON.stringify(value), isError: false });
const text = (said: string) => ({ type: "text", text: said });

test("an MCP result is passed on whole, including errors and unknown fields", () => {
  const whole = { content: [text("locked")], isError: true, structuredContent: { a: [1] }, _meta: { b: 2 }, next: 3 };
  expect(browserAnswer(result(whole), "mcp")).toEqual(whole);
  expect(browserAnswer(result({ structuredContent: 5 }), "mcp")).toEqual({ structuredContent: 5, content: [] });
});

test("structured content that the text already contains is not repeated", () => {
  const value = { period: "May", figures: [1, 2] };
  const said = (structuredContent: object, ...texts: string[]) =>
    browserAnswer(result({ content: texts.map(text), structuredContent }), "mcp");
  for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
    expect(said(value, json)).toEqual({ content: [text(json)] });
  }
  expect(said(value, "Two figures.")).toHaveProperty("structuredContent", value);
  expect(said(value, '{"period":"May"}')).toHaveProperty("structuredContent", value);
  expect(said(value, JSON.stringify(value), "and a note")).toHaveProperty("structuredContent", value);
  expect(said([1], "[1]")).toHaveProperty("structuredContent", [1]);
});

test.each([
  [{ kind: "refused", code: "not-delivered", message: "Nobody is there." }, "not-delivered", "Nobody is there."],
  [{ kind: "failed", code: "outcome-unknown", message: "Cut." }, "outcome-unknown", "Cut."],
  [{ kind: "aborted" }, "cancelled", "The call was cancelled."],
  [{ kind: "result", payload: "[]", isError: false }, "result-unsendable", "cannot be read"],
  [{ kind: "result", payload: "{", isError: false }, "result-unsendable", "cannot be read"],
] as const)("what is no result says what happened: %j", (outcome, code, message) => {
  const said = expect.stringContaining(message) as string;
  expect(browserAnswer(outcome, "mcp")).toEqual({
    content: [text(said)],
    isError: true,
    _meta: { "pagewire/code": code },
  });
  expect(() => browserAnswer(outcome, "text")).toThrow(message);
});

test.each([
  [[], ""],
  [[text("one"), text(""), text("two")], "one\n\ntwo"],
  [[{ type: "image", data: "AA==", mimeType: "image/webp" }], "data:image/webp;base64,AA=="],
  [[{ type: "image", data: "AA==" }], "data:image/png;base64,AA=="],
  [[{ type: "audio", data: "AA==", mimeType: "audio/ogg" }], "data:audio/ogg;base64,AA=="],
])("%j is the text %j", (content, said) => {
  const lost = vi.fn<(type: string) => void>();
  expect(browserAnswer(result({ content }), "text", lost)).toBe(said);
  expect(lost).not.toHaveBeenCalled();
});

test.each([
  [{ type: "resource_link", uri: "app://a", name: "a" }, "app://a"],
  [{ type: "resource", resource: { uri: "app://a", text: "inside" } }, "inside"],
  [{ type: "resource", resource: { uri: "app://a", blob: "AA==", mimeType: "a/b" } }, "data:a/b;base64,AA=="],
  [{ type: "resource", resource: { uri: "app://a" } }, "app://a"],
  [{ type: "hologram", data: "AA==" }, ""],
  [{}, ""],
])("of %j text says less than it holds, which is told", (block, said) => {
  const lost = vi.fn<(type: string) => void>();
  expect(browserAnswer(result({ content: [block] }), "text", lost)).toBe(said);
  expect(lost.mock.calls).toEqual([[(block as { type?: string }).type ?? "?"]]);
});

test("without content the structured content is the text, and an error without words has some", () => {
  expect(browserAnswer(result({ content: [], structuredContent: { sum: 7 } }), "text")).toBe('{"sum":7}');
  expect(() => browserAnswer(result({ content: [], isError: true }), "text")).toThrow("did not say why");
  expect(() => browserAnswer(result({ content: [text("locked")], isError: true }), "text")).toThrow(/^locked$/);
});
