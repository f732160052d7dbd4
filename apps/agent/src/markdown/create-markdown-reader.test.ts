import { describe, expect, test } from "vitest";
import { outline } from "./outline.test-helper.ts";
import { parseMarkdown } from "./parse-markdown.test-helper.ts";

const read = (text: string): unknown[] => outline(parseMarkdown(text));
const readOpen = (text: string): unknown[] => outline(parseMarkdown(text, { isOpen: true }));
const inline = (text: string): unknown[] => (read(text)[0] as unknown[]).slice(1);

describe("what is read", () => {
  test.each([
    ["## Sales *now* ##", [["heading level=2", "Sales ", ["emphasis", "now"]]]],
    ["#hashtag", [["paragraph", "#hashtag"]]],
    [
      "one\ntwo\n\nthree",
      [
        ["paragraph", "one\ntwo"],
        ["paragraph", "three"],
      ],
    ],
    ["one  \ntwo\\\nthree<br>four", [["paragraph", "one", ["break"], "two", ["break"], "three", ["break"], "four"]]],
    ["text\n---\nmore", [["paragraph", "text"], ["rule"], ["paragraph", "more"]]],
    ["> one\ntwo\n> - three", [["quote", ["paragraph", "one\ntwo"], ["list", ["item", ["paragraph", "three"]]]]]],
    [
      "```js title\nlet a;\n\n  b\n```\nafter",
      [
        ["code-block language=js title", "let a;\n\n  b"],
        ["paragraph", "after"],
      ],
    ],
    ["~~~\n```\n~~~", [["code-block", "```"]]],
    [
      "3. a\n   - b\n4. c",
      [
        [
          "list start=3",
          ["item", ["paragraph", "a"], ["list", ["item", ["paragraph", "b"]]]],
          ["item", ["paragraph", "c"]],
        ],
      ],
    ],
    ["1. a\n  - b", [["list start=1", ["item", ["paragraph", "a"], ["list", ["item", ["paragraph", "b"]]]]]]],
    [
      "- a\n\n  b\n\nc",
      [
        ["list", ["item", ["paragraph", "a"], ["paragraph", "b"]]],
        ["paragraph", "c"],
      ],
    ],
    [
      "- a\n* b",
      [
        ["list", ["item", ["paragraph", "a"]]],
        ["list", ["item", ["paragraph", "b"]]],
      ],
    ],
    [
      "- [x] done\n- [ ] open",
      [["list", ["item checked=true", ["paragraph", "done"]], ["item checked=false", ["paragraph", "open"]]]],
    ],
    ["In 1999\n2000. was next", [["paragraph", "In 1999\n2000. was next"]]],
  ])("AW73: %j", (text, tree) => {
    expect(read(text)).toEqual(tree);
  });

  test("AW73: a table has a head, alignments and rows, and cells that miss are not made up", () => {
    const head = (text: string, align: string) => [`cell isHead=true align=${align}`, text];
    const cell = (text: string, align: string) => [`cell isHead=false align=${align}`, text];
    expect(read("Here:\n| a | b\\|c |\n|:-:|--:|\n| 1 | 2 | 3 |\n| 4\n\nend")).toEqual([
      ["paragraph", "Here:"],
      [
        "table",
        ["row isHead=true", head("a", "center"), head("b|c", "end")],
        ["row isHead=false", cell("1", "center"), cell("2", "end")],
        ["row isHead=false", cell("4", "center")],
      ],
      ["paragraph", "end"],
    ]);
    expect(read("a | b\n---|---|---")).toEqual([["paragraph", "a | b\n---|---|---"]]);
  });

  test.each([
    [
      "**a** __b__ *c* _d_ ~~e~~ `f`",
      [
        ["strong", "a"],
        " ",
        ["strong", "b"],
        " ",
        ["emphasis", "c"],
        " ",
        ["emphasis", "d"],
        " ",
        ["strike", "e"],
        " ",
        ["code", "f"],
      ],
    ],
    ["***a** b*", [["emphasis", ["strong", "a"], " b"]]],
    ["snake_case_name 2 * 3 * 4 ~5~", ["snake_case_name 2 * 3 * 4 ~5~"]],
    ["`` a`b `` \\*no\\*", [["code", "a`b"], " *no*"]],
    ["`**a**` **`b`**", [["code", "**a**"], " ", ["strong", ["code", "b"]]]],
    ["&lt;b&gt; &amp;amp; &#x2713; &nope; &#0;", ["<b> &amp; ✓ &nope; &#0;"]],
    ["*[a*](https://x.org/)", ["*", ["link href=https://x.org/", "a*"]]],
    ["**open *and __never", ["**open *and __never"]],
  ])("AW73: %j inside a line", (text, tree) => {
    expect(inline(text)).toEqual(tree);
  });

  test("AW74: HTML is text, whatever it is", () => {
    const hostile = `<img src=x onerror=alert(1)> <script>alert(1)</script> <a href="javascript:x">y</a>`;
    expect(read(hostile)).toEqual([["paragraph", hostile]]);
    expect(read("<div>\n<b>x</b>\n</div>")).toEqual([["paragraph", "<div>\n<b>x</b>\n</div>"]]);
  });

  test("AW75: an image is a link with its alternative text; one without an address to go to is that text", () => {
    expect(inline("![A cat](https://x.org/cat.png)")).toEqual([["link href=https://x.org/cat.png", "A cat"]]);
    expect(inline("![](https://x.org/cat.png)")).toEqual([
      ["link href=https://x.org/cat.png", "https://x.org/cat.png"],
    ]);
    expect(inline("![dot](data:image/png;base64,AAAA)")).toEqual(["dot"]);
    expect(inline("[![badge](https://x.org/a.svg)](https://x.org/)")).toEqual([["link href=https://x.org/", "badge"]]);
  });

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\\\nscript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "//x.org",
    "/path",
    "#top",
    "https:x.org",
    "https://bank.com@x.org/",
    "https://",
    "blob:https://x.org/1",
  ])("AW76: %j is no address to go to: its text stays", (address) => {
    expect(inline(`see [this](${address})`).every((node) => typeof node === "string")).toBe(true);
    expect(inline(`see [this](<${address}>)`).every((node) => typeof node === "string")).toBe(true);
  });

  test("AW76: addresses of http, https and mail are links, also without brackets", () => {
    expect(inline('[a](http://x.org) [b](<https://x.org/a b> "t") [c](mailto:a@x.org)')).toEqual([
      ["link href=http://x.org/", "a"],
      " ",
      ["link href=https://x.org/a%20b", "b"],
      " ",
      ["link href=mailto:a@x.org", "c"],
    ]);
    expect(inline("(see https://x.org/a_(b)_c). <https://y.org>")).toEqual([
      "(see ",
      ["link href=https://x.org/a_(b)_c", "https://x.org/a_(b)_c"],
      "). ",
      ["link href=https://y.org/", "https://y.org"],
    ]);
  });

  test.each([
    ["[bank.com](https://evil.org/)", "evil.org"],
    ["[https://bank.com/login](https://evil.org/bank.com)", "evil.org"],
    ["[**bank**.com](https://evil.org/)", "evil.org"],
    ["[Sign in at bank.com now](https://evil.org/)", "evil.org"],
    ["[bank.com.](https://evil.org/)", "evil.org"],
    ["[bank․com](https://evil.org/)", "evil.org"],
    ["[ba\u200Bnk](https://evil.org/)", "evil.org"],
    ["[bank.com](https://bank.com:444/)", "bank.com:444"],
    ["[аpple.com](https://xn--pple-43d.com/)", "xn--pple-43d.com"],
    ["[boss@bank.com](mailto:thief@evil.org)", "thief@evil.org"],
  ])("AW77: %s tells where it leads", (text, place) => {
    expect(JSON.stringify(inline(text))).toContain(`place=${place}`);
  });

  test.each(["[our docs](https://x.org/)", "[x.org](https://www.x.org/)", "[https://x.org/a](https://x.org/a)"])(
    "AW77: %s needs no such word",
    (text) => {
      expect(JSON.stringify(inline(text))).not.toContain("place=");
    },
  );
});

describe("a text that is not all there yet", () => {
  test.each([
    ["a **bold", [["paragraph", "a ", ["strong", "bold"]]]],
    ["a **bold*", [["paragraph", "a ", ["strong", "bold"]]]],
    ["a **", [["paragraph", "a "]]],
    ["~~a *b", [["paragraph", ["strike", "a ", ["emphasis", "b"]]]]],
    ["a `code", [["paragraph", "a ", ["code", "code"]]]],
    ["see [the docs](https://x.o", [["paragraph", "see the docs"]]],
    ["```js\nlet a;\n``", [["code-block language=js", "let a;\n"]]],
    ["- one\n- **tw", [["list", ["item", ["paragraph", "one"]], ["item", ["paragraph", ["strong", "tw"]]]]]],
  ])("AW80: %j looks as if it were ended", (text, tree) => {
    expect(readOpen(text)).toEqual(tree);
  });

  test("AW80: a table is one before its second line is whole", () => {
    for (const text of ["| a | b", "Here:\n| a | b |", "| a | b |\n|-", "| a | b |\n|---|"]) {
      expect(readOpen(text).at(-1)).toEqual(["table", expect.arrayContaining(["row isHead=true"])]);
      expect(JSON.stringify(read(text))).not.toContain("table");
    }
  });

  test("AW80: what ended before shows its marks as they are", () => {
    expect(readOpen("2 **x\n\nnext")).toEqual([
      ["paragraph", "2 **x"],
      ["paragraph", "next"],
    ]);
  });
});
