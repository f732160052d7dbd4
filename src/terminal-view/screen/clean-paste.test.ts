import { expect, test } from "vitest";
import { cleanPaste } from "./create-screen.ts";

test("a paste cannot end a bracketed paste, or act as keys", () => {
  expect(cleanPaste("ls\u001b[201~\rrm -r /\u0003\u0004\u0015\u007f\u009b201~")).toBe("ls[201~\rrm -r /201~");
});

test("lines, tabs and letters of a paste are unchanged", () => {
  expect(cleanPaste("one\ttwo\r\nthree\n\u00e9 語 😀")).toBe("one\ttwo\r\nthree\n\u00e9 語 😀");
});
