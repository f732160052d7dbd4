import fc from "fast-check";
import { expect, test } from "vitest";
import { createBlockReader } from "./create-block-reader.ts";

const pieces = [
  "alpha",
  "Z",
  "*",
  "**",
  "_",
  "~~",
  "`",
  "#",
  "-",
  "1.",
  ">",
  "|",
  "[",
  "](https://y.org)",
  "---",
  "|-|-|",
];
const spaces = [" ", "  ", "\n", "\n\n", "\r\n", "\t", "```", "<br>", "<http://x.org>"];
const anyText = fc.array(fc.constantFrom(...pieces, ...spaces), { maxLength: 60 }).map((parts) => parts.join(""));

function readWhole(text: string, isOpen: boolean): string {
  return JSON.stringify(createBlockReader()(text, isOpen).fresh.map(withoutLines));
}

/** Lines count from where the reader began. */
function withoutLines(tokens: readonly object[]): unknown {
  return tokens.map((token) => ({ ...token, map: null }));
}

test("a text that grows in pieces is read as one that came whole", () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(6), { minLength: 1 }), (text, steps) => {
      const read = createBlockReader();
      let blocks: unknown[] = [];
      let end = 0;
      for (let step = 0; end < text.length; step += 1) {
        end += 1 + (steps[step % steps.length] ?? 0);
        const { kept, fresh } = read(text.slice(0, end), true);
        blocks = [...blocks.slice(0, kept), ...fresh.map(withoutLines)];
        expect(JSON.stringify(blocks)).toBe(readWhole(text.slice(0, end), true));
      }
    }),
    { numRuns: 300 },
  );
});

/** Texts that make a careless parser scan the same text repeatedly. */
const hostile: Readonly<Record<string, (length: number) => string>> = {
  "openers and one closer": (length) => "**a *b ~~c _d ".repeat(length / 14) + "*".repeat(50),
  "links without an end": (length) => "[a](".repeat(length / 4),
  "images in images": (length) => "![".repeat(length / 4) + "](x)".repeat(length / 8),
  "runs of backticks": (length) =>
    Array.from({ length: Math.sqrt(length * 2) }, (_, index) => "`".repeat(index + 1)).join(" "),
  lists: (length) => `${"- ".repeat(length / 2)}x`,
  "a wide table": (length) => `${"|a".repeat(length / 4)}\n${"|-".repeat(length / 4)}\n${"|b\n".repeat(length / 6)}`,
};

test.each(Object.entries(hostile))("eight times the text costs no more than a few times eight: %s", (_, make) => {
  const costOf = (text: string): number => {
    const costs = Array.from({ length: 3 }, () => {
      const start = performance.now();
      createBlockReader()(text, true);
      return performance.now() - start;
    });
    return Math.min(...costs);
  };
  const [less, more] = [make(10_000), make(80_000)];
  // A quadratic parser would take 64 times as long; times under 10 ms are noise.
  expect(costOf(more) / Math.max(costOf(less), 10)).toBeLessThan(32);
});

test("a text that grows is read from its last two blocks on", () => {
  const read = createBlockReader();
  read("one\n\ntwo\n\nthree", true);
  const { kept, fresh } = read("one\n\ntwo\n\nthree four", true);
  expect([kept, fresh.length]).toEqual([1, 2]);
});
