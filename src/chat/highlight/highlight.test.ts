import { expect, test } from "vitest";
import { highlight, languageNamed } from "./highlight.ts";

const joined = async (text: string) => (await highlight(text, "json")).map((piece) => piece.text).join("");

test("a text is cut into coloured pieces that are together the same text", async () => {
  expect(await highlight(`{"a": 1}`, "json")).toContainEqual({ text: `"a"`, kind: "hljs-attr" });
  for (const text of [`\n{"<b>&amp;": "</pre><img src=x onerror=alert(1)>"}\n\n`, "", "\u0000 \r\n not json at all"]) {
    expect(await joined(text)).toBe(text);
  }
});

test("languages have the names that people give them in a fence, and a name of none is none", () => {
  expect(["ts", "JavaScript", "sh", "html", "json"].map(languageNamed)).toEqual([
    "typescript",
    "typescript",
    "bash",
    "xml",
    "json",
  ]);
  expect(["constructor", "brainfuck", ""].map(languageNamed)).toEqual([undefined, undefined, undefined]);
});
