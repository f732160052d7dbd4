import { expect, test } from "vitest";
import type { AiMessage } from "../../element/index.ts";
import { sourcesOf, sourcesText } from "./sources.ts";
import { transcriptOf } from "./transcript.ts";

const answer = (citations: unknown) => ({ role: "assistant", content: "Half.", citations }) as AiMessage;

test("a page that is cited several times is one source, with what is quoted of it", () => {
  const page = { url: "https://tea.example/oolong", title: "Oolong" };
  const quoted = ["One", "Two", "Two", "Three", "Four"].map((quote) => ({ ...page, quote }));
  const citations = [page, { url: "https://leaf.example/" }, ...quoted, { title: "My teas", quote: "Green" }];
  expect(sourcesOf(answer(citations))).toEqual([
    { ...page, place: "tea.example", quotes: ["One", "Two", "Three"] },
    { url: "https://leaf.example/", title: "leaf.example", place: "leaf.example", quotes: [] },
    { url: undefined, title: "My teas", place: "", quotes: ["Green"] },
  ]);
});

test.each([
  undefined,
  "x",
  [null, 3, "x", {}, { url: 7, title: {} }],
  [{ url: "javascript:alert(1)" }, { url: "https://a:b@bank.example" }, { url: "/here" }],
])("what is no source is left out: %j", (citations) => {
  expect(sourcesOf(answer(citations))).toEqual([]);
});

test("an address that may not be opened leaves the title, invisible characters show, and all is bounded", () => {
  const [source] = sourcesOf(answer([{ url: "javascript:alert(1)", title: `\u202E${"x".repeat(999)}` }]));
  expect(source?.url).toBeUndefined();
  expect(source?.title).toMatch(/^⟨U\+202E⟩x+$/);
  expect(source?.title.length).toBeLessThan(320);
  const many = Array.from({ length: 999 }, (_, at) => ({ url: `https://tea.example/${at}` }));
  expect(sourcesOf(answer(many))).toHaveLength(50);
});

test("a saved conversation has them as a list below the answer, whose texts are no markdown", () => {
  const citations = [
    { url: "https://tea.example/a b>", title: "Tea](https://evil.example) *now*" },
    { title: "My_teas" },
  ];
  expect(transcriptOf([answer(citations)])).toBe(`## Assistant

Half.

Sources:

1. [Tea\\](https://evil.example) \\*now\\*](<https://tea.example/a%20b%3E>)
2. My\\_teas
`);
  expect(sourcesText([])).toBe("");
});
