import { expect, test } from "vitest";
import { parseClipboardWrite } from "./clipboard.ts";

const encode = (text: string) => Buffer.from(text).toString("base64");

test("a program can copy a text to the clipboard", () => {
  for (const target of ["c", "", "p", "cs0"])
    expect(parseClipboardWrite(`${target};${encode("grüße 語 😀")}`)).toEqual({ kind: "write", text: "grüße 語 😀" });
});

test("a program can never read the clipboard", () => {
  expect(parseClipboardWrite("c;?")).toEqual({
    kind: "refused",
    message: "A program wanted to read the clipboard, and may not.",
  });
});

test("an empty selection is ignored", () => {
  expect(parseClipboardWrite("c;")).toEqual({ kind: "nothing" });
});

test("invalid or oversized text is refused", () => {
  const refusals = ["", "c", "x;aGk=", "c;***", `c;${Buffer.from([0xff, 0xfe]).toString("base64")}`];
  for (const data of refusals) expect(parseClipboardWrite(data).kind).toBe("refused");
  expect(parseClipboardWrite(`c;${encode("x".repeat(1024 * 1024))}`).kind).toBe("write");
  expect(parseClipboardWrite(`c;${encode("x".repeat(1024 * 1024 + 3))}`)).toMatchObject({
    message: "A program wanted to put more than 1 MB into the clipboard, and may not.",
  });
});
