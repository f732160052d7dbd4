import { expect, test } from "vitest";
import { createMarkdownReader } from "./create-markdown-reader.ts";
import { parseMarkdown } from "./parse-markdown.test-helper.ts";

/** Texts of a length that are meant to make a careless parser look again and again. */
const hostile: Readonly<Record<string, (length: number) => string>> = {
  "openers without an end": (length) => "*a ".repeat(length / 3),
  "openers and one kind of closer": (length) => "**a *b ~~c _d ".repeat(length / 14) + "*".repeat(50),
  "openers and closers of another kind": (length) => "_a ".repeat(length / 6) + "b* ".repeat(length / 6),
  pairs: (length) => "*a".repeat(length / 2),
  "one run": (length) => "*".repeat(length),
  brackets: (length) => "[".repeat(length),
  "links without an end": (length) => "[a](".repeat(length / 4),
  "titles without an end": (length) => `[a](b "`.repeat(length / 7),
  "images in images": (length) => "![".repeat(length / 4) + "](x)".repeat(length / 8),
  "runs of backticks": (length) =>
    Array.from({ length: Math.sqrt(length * 2) }, (_, index) => "`".repeat(index + 1)).join(" "),
  addresses: (length) => "http://a.b".repeat(length / 10),
  parentheses: (length) => `http://a${")".repeat(length)}`,
  "pointed addresses": (length) => "<http://".repeat(length / 8),
  ampersands: (length) => "&#".repeat(length / 2),
  quotes: (length) => "> ".repeat(length / 2),
  lists: (length) => `${"- ".repeat(length / 2)}x`,
  "lists by indentation": (length) =>
    Array.from({ length: Math.sqrt(length * 2) }, (_, index) => `${" ".repeat(index)}- a`).join("\n"),
  "lazy lines": (length) => `> a\n${"b\n".repeat(length / 2)}`,
  "blank lines": (length) => `- a${"\n".repeat(length)}`,
  paragraphs: (length) => "a\n\n".repeat(length / 3),
  spaces: (length) => `a${" ".repeat(length)}b`,
  "fences of two kinds": (length) => "```\n~~~\n".repeat(length / 8),
  "one wide table": (length) => `${"|a".repeat(length / 4)}\n${"|-".repeat(length / 4)}\n${"|b\n".repeat(length / 6)}`,
  "text like an address": (length) => `[${"a.".repeat(length / 2)}](https://x.org)`,
};

const small = 40_000;
const factor = 8;
/** Not what it may take: the machine may be busy. */
const patience = 120_000;

const { process } = globalThis as unknown as {
  readonly process: { cpuUsage(): { readonly user: number; readonly system: number } };
};

/** Microseconds of the processor, whoever else wants it; of some runs the least. */
function costOf(work: () => void): number {
  const costs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const after = process.cpuUsage();
    return after.user - before.user + after.system - before.system;
  });
  return Math.min(...costs);
}

test.each(Object.keys(hostile))(
  "AW78: eight times the text costs about eight times as much: %s",
  (name) => {
    const make = hostile[name] ?? String;
    const [less, more] = [make(small), make(small * factor)];
    parseMarkdown(more);
    // Looking at each piece again for each other one would make it sixty-four.
    const growth =
      costOf(() => parseMarkdown(more)) /
      Math.max(
        costOf(() => parseMarkdown(less)),
        200,
      );
    expect(growth).toBeLessThan(factor * 4);
  },
  patience,
);

test(
  "AW78: a text of many blocks that grows is not read from its beginning each time",
  () => {
    const costToGrow = (blocks: number): number => {
      const text = "Some *words* in a paragraph.\n\n".repeat(blocks);
      return costOf(() => {
        const read = createMarkdownReader();
        for (let part = 1; part <= 100; part += 1) read(text.slice(0, (text.length / 100) * part), { isOpen: true });
      });
    };
    expect(costToGrow(16_000) / costToGrow(2000)).toBeLessThan(factor * 4);
  },
  patience,
);
