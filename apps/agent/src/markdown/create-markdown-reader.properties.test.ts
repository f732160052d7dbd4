import { array, assert, constantFrom, nat, property, string } from "fast-check";
import type { Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { depthOf, everyNode } from "./outline.test-helper.ts";
import { createMarkdownReader } from "./create-markdown-reader.ts";
import { parseMarkdown } from "./parse-markdown.test-helper.ts";

/** Enough to meet each pair of marks many times; the machine may be busy. */
const runs = 1000;
const patience = 60_000;

const words = ["alpha", "beta1", "Z"];
const marks = [
  "*",
  "**",
  "_",
  "~~",
  "`",
  "#",
  "-",
  "+",
  "1.",
  ">",
  "|",
  "[",
  "]",
  "!",
  "\\",
  "---",
  "|-|-|",
  " ",
  "  ",
  "\n",
  "\n\n",
];
const risky = [
  "(",
  ")",
  "<",
  "&",
  "&lt;",
  "```",
  "~~~",
  "http://x.org",
  "](https://y.org)",
  "](javascript:x)",
  "\t",
  "\r\n",
  "<br>",
];

const textOf = (pieces: readonly string[]): Arbitrary<string> =>
  array(constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(""));
const anyText = textOf([...words, ...marks, ...risky]);

test(
  "AW82: a text that grows in pieces is read as one that came whole",
  () => {
    assert(
      property(anyText, array(nat(6), { minLength: 1 }), (text, steps) => {
        const read = createMarkdownReader();
        let end = 0;
        for (let step = 0; end < text.length; step += 1) {
          end += 1 + (steps[step % steps.length] ?? 0);
          const part = text.slice(0, end);
          expect(read(part, { isOpen: true })).toEqual(parseMarkdown(part, { isOpen: true }));
        }
        expect(read(text, { isOpen: false })).toEqual(parseMarkdown(text));
      }),
      { numRuns: runs },
    );
  },
  patience,
);

test("AW82: another text than before is read anew", () => {
  const read = createMarkdownReader();
  read("# one\n\ntwo\n\nthree\n\nfour", {});
  expect(read("five\n\nsix", {})).toEqual(parseMarkdown("five\n\nsix"));
});

test(
  "AW73: no word is lost, and none changes its place",
  () => {
    const lettersOf = (text: string): string => text.replaceAll(/[^A-Za-z]/g, "");
    assert(
      property(textOf([...words, ...marks]), (text) => {
        const shown = everyNode(parseMarkdown(text)).map((node) => {
          const language = node.kind === "code-block" ? node.language : "";
          return language + ("text" in node ? node.text : "");
        });
        expect(lettersOf(shown.join(""))).toBe(lettersOf(text));
      }),
      { numRuns: runs },
    );
  },
  patience,
);

test(
  "AW76: whatever the text, every link is an absolute one of http, https or mailto",
  () => {
    assert(
      property(anyText, string({ unit: "binary", maxLength: 20 }), (text, address) => {
        const nodes = everyNode(parseMarkdown(`${text}[a](${address}) <${address}> ${text}`));
        const addresses = nodes.flatMap((node) => (node.kind === "link" ? [node.href] : []));
        expect(addresses.filter((href) => !/^(https?:\/\/|mailto:)/.test(href))).toEqual([]);
      }),
      { numRuns: runs },
    );
  },
  patience,
);

test(
  "AW79: no text makes a tree deeper than it may be",
  () => {
    const nested = ["> ", "- ", "1. ", "*a ", "**b ", "_c ", "~~d ", "![", "["];
    const closing = ["", "*".repeat(9000), "**b*_~~".repeat(2000), "](https://x.org)".repeat(3000)];
    for (const opening of nested) {
      for (const end of closing) {
        expect(depthOf(parseMarkdown(opening.repeat(3000) + "x" + end))).toBeLessThan(48);
      }
    }
    assert(property(anyText, (text) => depthOf(parseMarkdown(text.repeat(20))) < 48));
  },
  patience,
);
