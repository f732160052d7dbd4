import { expect, test } from "vitest";
import { encodeText, parseText } from "./codec.ts";
import { fromView, toView } from "./index.ts";
import { defaultLimits } from "./limits.ts";

const refusal = (type: string, field: string) => ({
  kind: "refused",
  close: "frame-malformed",
  message: `The field "${field}" of a ${type} frame is wrong.`,
});
const fromOne = (header: object) => parseText(fromView, encodeText(header), defaultLimits);
const toOne = (header: object) => parseText(toView, encodeText(header), defaultLimits);

test("a terminal has 1 to 1000 columns and rows, in frames from and to a view", () => {
  const opened = { type: "opened", terminal: "t", name: "", stream: "s", at: 0, columns: 80, rows: 24, isNew: true };
  for (const field of ["columns", "rows"]) {
    for (const size of [1, 1000]) {
      expect(fromOne({ type: "resize", columns: 1, rows: 1, [field]: size }).kind).toBe("frame");
      expect(toOne({ ...opened, [field]: size }).kind).toBe("frame");
    }
    for (const size of [0, 1001, -1, 80.5, "80", null, 1e308]) {
      expect(fromOne({ type: "resize", columns: 1, rows: 1, [field]: size })).toEqual(refusal("resize", field));
      expect(fromOne({ type: "open", columns: 1, rows: 1, [field]: size })).toEqual(refusal("open", field));
      expect(toOne({ ...opened, [field]: size })).toEqual(refusal("opened", field));
      expect(toOne({ type: "size", columns: 1, rows: 1, [field]: size })).toEqual(refusal("size", field));
    }
  }
});

test("a position in a stream is a whole number from zero on", () => {
  for (const at of [-1, 0.5, Number.MAX_SAFE_INTEGER + 1, "0", null]) {
    expect(fromOne({ type: "seen", at })).toEqual(refusal("seen", "at"));
    expect(fromOne({ type: "open", columns: 1, rows: 1, from: at })).toEqual(refusal("open", "from"));
    expect(toOne({ type: "output", at })).toEqual(refusal("output", "at"));
  }
});

test("a terminal's name has at most 128 characters, and its id is an identifier", () => {
  const rename = { type: "rename", terminal: "t", name: "x".repeat(128) };
  expect(fromOne(rename).kind).toBe("frame");
  expect(fromOne({ ...rename, name: "x".repeat(129) })).toEqual(refusal("rename", "name"));
  for (const terminal of ["", "two words", "x".repeat(129), 7]) {
    expect(fromOne({ ...rename, terminal })).toEqual(refusal("rename", "terminal"));
    expect(fromOne({ type: "end", terminal })).toEqual(refusal("end", "terminal"));
  }
});

test("input and output are transported unchanged, whatever they contain", () => {
  const text = '\u001b[31mrot\r\n{"type":"end"}\n\n語\u0000';
  expect(parseText(fromView, encodeText({ type: "input" }, text), defaultLimits)).toMatchObject({ payload: text });
  expect(parseText(toView, encodeText({ type: "output", at: 5 }, text), defaultLimits)).toMatchObject({
    frame: { at: 5 },
    payload: text,
  });
});
