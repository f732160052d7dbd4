import { expect, test } from "vitest";
import { cleanPaste } from "./clean-paste.ts";

test("what is pasted cannot end a bracketed paste, nor press keys", () => {
  expect(cleanPaste("ls\u001b[201~\rrm -r /\u0003\u0004\u0015\u007f\u009b201~")).toBe("ls[201~\rrm -r /201~");
});

test("its lines, tabs and letters stay as they are", () => {
  expect(cleanPaste("one\ttwo\r\nthree\n\u00e9 語 😀")).toBe("one\ttwo\r\nthree\n\u00e9 語 😀");
});
