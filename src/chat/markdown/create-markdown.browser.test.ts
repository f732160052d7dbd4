import fc from "fast-check";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { setHighlighter } from "./colour-code.ts";
import { createMarkdown } from "./create-markdown.ts";

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

function showMarkdown(text = "", isDone = true) {
  const view = createMarkdown();
  document.body.append(view.element);
  view.update(text, isDone);
  return view;
}

const tagsIn = (element: Element): string[] => [...element.querySelectorAll("*")].map(({ localName }) => localName);

const everything = [
  "# One\n\n###### Six",
  "**a** *b* ~~c~~ `d` https://x.org",
  "> quote",
  "1. one\n2. two\n   - nested\n- [x] done",
  "```js\nlet a;\n```",
  "| a | b |\n|--:|---|\n| 1 | 2 |",
  "---",
].join("\n\n");

test("every sort of block has its element, and headings stand below the page's own", () => {
  const { element } = showMarkdown(everything);
  const wanted = "h3 h4 strong em del code a blockquote ol ul li input pre table th td hr p";
  for (const tag of wanted.split(" ")) expect(element.querySelector(tag), tag).not.toBeNull();
  expect(element.querySelector("h1, h2")).toBeNull();
  expect(element.querySelector<HTMLInputElement>("li input")).toMatchObject({ checked: true, disabled: true });
  expect(element.querySelector("td")?.className).toBe("end");
});

test("headings never skip a level, with whichever the text begins or goes on, whole or while it streams", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["## a\n\n### b\n\n# c\n\n### d\n\n###### e\n\n## f", "h3 h4 h3 h4 h5 h4"],
    ["#### a\n\ntext\n\n## b\n\n### c\n\n### d", "h3 h3 h4 h4"],
    ["> ### a\n\n- # b\n\n## c", "h3 h3 h4"],
    ["# 1\n\n## 2\n\n### 3\n\n#### 4\n\n##### 5\n\n###### 6", "h3 h4 h5 h6 h6 h6"],
  ];
  for (const [text, tags] of texts) {
    const { element } = showMarkdown(text);
    const streamed = createMarkdown();
    for (let end = 1; end <= text.length; end += 1) streamed.update(text.slice(0, end), end === text.length);
    expect(tagsIn(element).filter((tag) => /^h\d$/.test(tag))).toEqual(tags.split(" "));
    expect(streamed.element.innerHTML).toBe(element.innerHTML);
  }
});

test("what scrolls is within reach of the keyboard and has a name", () => {
  const { element } = showMarkdown(everything);
  for (const part of element.querySelectorAll<HTMLElement>("pre, .table-scroll")) {
    expect([part.tabIndex, part.role]).toEqual([0, "group"]);
  }
  expect(element.querySelector("pre")?.ariaLabel).toBe("Code, js");
});

/** The elements without the attributes that every link and table has. */
function drawnAs(text: string, isDone = true): string {
  const { element } = showMarkdown(text, isDone);
  for (const link of element.querySelectorAll("a")) {
    for (const name of ["target", "rel", "title"]) link.removeAttribute(name);
  }
  return element.innerHTML.replaceAll(/ (class="(table-scroll|start)"|tabindex="0"|role="group"|scope="col")/g, "");
}

test.each([
  ["## Sales *now* ##", '<h3 class="heading level-2">Sales <em>now</em></h3>'],
  ["#hashtag", "<p>#hashtag</p>"],
  ["one\ntwo\n\nthree", "<p>one\ntwo</p><p>three</p>"],
  ["one  \ntwo\\\nthree<br>four", "<p>one<br>two<br>three<br>four</p>"],
  ["text\n---\nmore", "<p>text</p><hr><p>more</p>"],
  ["> one\ntwo\n> - three", "<blockquote><p>one\ntwo</p><ul><li><p>three</p></li></ul></blockquote>"],
  ["3. a\n   - b\n4. c", '<ol start="3"><li><p>a</p><ul><li><p>b</p></li></ul></li><li><p>c</p></li></ol>'],
  [
    "**a** __b__ *c* ~~e~~ `` f`g ``",
    "<p><strong>a</strong> <strong>b</strong> <em>c</em> <del>e</del> <code>f`g</code></p>",
  ],
  ["snake_case_name 2 * 3 * 4 ~5~ \\*no\\*", "<p>snake_case_name 2 * 3 * 4 ~5~ *no*</p>"],
  ["&lt;b&gt; &amp;amp; &#x2713; &nope;", "<p>&lt;b&gt; &amp;amp; ✓ &amp;nope;</p>"],
  ["    indented", "<p>indented</p>"],
  ["[name]: https://x.org", '<p>[name]: <a href="https://x.org/"><span>https://x.org</span></a></p>'],
])("%j", (text, drawn) => {
  expect(drawnAs(text)).toBe(drawn);
});

test("a table has a head, alignments and rows", () => {
  expect(drawnAs("Here:\n| a | b\\|c |\n|:-:|--:|\n| 1 | 2 |\n\nend")).toBe(
    '<p>Here:</p><div aria-label="Table"><table><tbody><tr><th class="center">a</th><th class="end">b|c</th></tr>' +
      '<tr><td class="center">1</td><td class="end">2</td></tr></tbody></table></div><p>end</p>',
  );
  expect(drawnAs("a | b\n---|---|---")).toBe("<p>a | b\n---|---|---</p>");
});

test.each([
  ["![A cat](https://x.org/cat.png)", '<a href="https://x.org/cat.png"><span>A cat</span></a>'],
  ["![](https://x.org/cat.png)", '<a href="https://x.org/cat.png"><span>https://x.org/cat.png</span></a>'],
  ["![dot](data:image/png;base64,AAAA)", "dot"],
  ["[![badge](https://x.org/a.svg)](https://x.org/)", '<a href="https://x.org/"><span>badge</span></a>'],
  ["![a [b](https://y.org/) c](https://x.org/)", '<a href="https://x.org/"><span>a b c</span></a>'],
])("%s is a link with its alternative text", (text, drawn) => {
  expect(drawnAs(text)).toBe(`<p>${drawn}</p>`);
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\\\nscript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "//x.org",
  "/path",
  "https:x.org",
  "https://bank.com@x.org/",
  "https://",
  "blob:https://x.org/1",
])("%j is not linked, and the text stays", (address) => {
  for (const text of [`see [this](${address})`, `see [this](<${address}>)`, `<${address}>this`]) {
    const { element } = showMarkdown(text);
    expect([...element.querySelectorAll("a")].filter(({ textContent }) => textContent === "this")).toEqual([]);
    expect(element.textContent).toContain("this");
    for (const { href } of element.querySelectorAll("a")) expect(href).toMatch(/^https?:\/\/x\.org\//);
  }
});

test("addresses of http, https and mail are links, also without brackets", () => {
  const hrefs = (text: string) => [...showMarkdown(text).element.querySelectorAll("a")].map(({ href }) => href);
  expect(hrefs('[a](http://x.org) [b](<https://x.org/a b> "t") [c](mailto:a@x.org)')).toEqual([
    "http://x.org/",
    "https://x.org/a%20b",
    "mailto:a@x.org",
  ]);
  expect(hrefs("(see https://x.org/a_(b)_c). <https://y.org> ftp://z.org")).toEqual([
    "https://x.org/a_(b)_c",
    "https://y.org/",
  ]);
});

test("random text links to nothing else", () => {
  const piece = fc.constantFrom(
    "a",
    "[",
    "](",
    ")",
    "<",
    ">",
    "!",
    "`",
    "\\",
    "&#58;",
    "\n",
    "javascript:",
    "https://x.org",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.string({ unit: "binary", maxLength: 20 }), (parts, address) => {
      const text = parts.join("");
      const view = createMarkdown();
      view.update(`${text}[a](${address}) <${address}> ${text}`, true);
      for (const link of view.element.querySelectorAll("a")) expect(link.href).toMatch(/^(https?:\/\/|mailto:)/);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["[https://bank.com/login](https://evil.org/bank.com)", "evil.org"],
  ["[**bank**.com](https://evil.org/)", "evil.org"],
  ["[Sign in at bank.com now](https://evil.org/)", "evil.org"],
  ["[bank․com](https://evil.org/)", "evil.org"],
  ["[ba\u200Bnk](https://evil.org/)", "evil.org"],
  ["[bank.com](https://bank.com:444/)", "bank.com:444"],
  ["[аpple.com](https://xn--pple-43d.com/)", "xn--pple-43d.com"],
  ["[boss@bank.com](mailto:thief@evil.org)", "thief@evil.org"],
])("%s shows where it leads", (text, place) => {
  expect(showMarkdown(text).element.querySelector(".link-place")?.textContent).toBe(` (${place})`);
});

test("a link whose text fits shows no place", () => {
  const { element } = showMarkdown("[our docs](https://x.org/) [x.org](https://www.x.org/) https://x.org/a");
  expect(element.querySelectorAll("a")).toHaveLength(3);
  expect(element.querySelector(".link-place")).toBeNull();
});

test("no text makes elements deeper than the maximum", () => {
  const depthOf = (element: Element): number => 1 + Math.max(0, ...[...element.children].map(depthOf));
  for (const opening of ["> ", "- ", "*a ", "**b ", "~~d ", "![", "["]) {
    for (const end of ["", "*".repeat(9000), "~~".repeat(3000), "](https://x.org)".repeat(3000)]) {
      expect(depthOf(showMarkdown(`${opening.repeat(3000)}x${end}`).element)).toBeLessThan(48);
    }
  }
});

test.each([
  ["a **bold", "<p>a <strong>bold</strong></p>"],
  ["a **bold*", "<p>a <strong>bold</strong></p>"],
  ["a **", "<p>a</p>"],
  ["~~a *b", "<p><del>a <em>b</em></del></p>"],
  ["a `code", "<p>a <code>code</code></p>"],
  ["see [the docs](https://x.o", "<p>see the docs</p>"],
  ["- one\n- **tw", "<ul><li><p>one</p></li><li><p><strong>tw</strong></p></li></ul>"],
  ["2 **x\n\nnext", "<p>2 **x</p><p>next</p>"],
])("%j looks as if it were ended while more may come", (text, drawn) => {
  expect(drawnAs(text, false)).toBe(drawn);
});

test("a fence hides its half end, and a table is one before its second line is whole", () => {
  expect(showMarkdown("```js\nlet a;\n``", false).element.querySelector("code")?.textContent).toBe("let a;");
  for (const text of ["| a | b", "Here:\n| a | b |", "| a | b |\n|-", "| a | b |\n|---|"]) {
    expect(showMarkdown(text, false).element.querySelectorAll("th")).toHaveLength(2);
    expect(showMarkdown(text).element.querySelector("table")).toBeNull();
  }
});

test("HTML in the text is shown as it is written, and becomes nothing else", () => {
  const hostile = [
    `<img src=x onerror="window.hit = 1"><svg onload="window.hit = 1">`,
    "```html\n<script>window.hit = 1</script>\n```",
    "| <b>x</b> |\n|---|\n| <iframe src='javascript:window.hit=1'> |",
    `[<img src=x onerror=1>](https://x.org "<b>")`,
  ].join("\n\n");
  const { element } = showMarkdown(hostile);
  expect(element.querySelector("img, svg, script, iframe, b, object, style, form")).toBeNull();
  expect(element.textContent).toContain('<img src=x onerror="window.hit = 1">');
  expect(Reflect.has(window, "hit")).toBe(false);
  for (const one of element.querySelectorAll("*")) {
    for (const name of one.getAttributeNames()) expect(name).not.toMatch(/^(on|style$|src)/);
  }
});

test("nothing is fetched for an image or a link", async () => {
  const before = performance.getEntriesByType("resource").length;
  const { element } = showMarkdown("![cat](https://x.invalid/cat.png) [a](https://x.invalid/) <https://x.invalid/b>");
  expect(tagsIn(element)).not.toContain("img");
  expect(element.querySelectorAll("a")).toHaveLength(3);
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const fetched = performance.getEntriesByType("resource").slice(before);
  expect(fetched.filter(({ name }) => name.includes("x.invalid"))).toEqual([]);
});

test("a link opens elsewhere, tells that place nothing, and says where it leads", () => {
  const { element } = showMarkdown("[bank.com](https://evil.example/a)");
  const link = element.querySelector("a");
  expect(link).toMatchObject({ target: "_blank", rel: "noopener noreferrer nofollow", href: "https://evil.example/a" });
  expect(link?.textContent).toBe("bank.com (evil.example)");
});

test("while a text streams, finished blocks keep their nodes and the selection in them", () => {
  let text = "First *words* here.\n\nSecond";
  const view = showMarkdown(text, false);
  const [first] = view.element.children;
  const words = first?.querySelector("em")?.firstChild;
  if (!first || !words) throw new Error("Nothing was drawn.");
  getSelection()?.selectAllChildren(first);
  for (const more of [" par", "agraph.\n\n- one", "\n- two\n\n```js\nlet a", ";\nlet b;"]) {
    text += more;
    view.update(text, false);
    expect(view.element.firstElementChild).toBe(first);
    expect(first.querySelector("em")?.firstChild).toBe(words);
    expect(getSelection()?.toString()).toBe("First words here.");
  }
  view.update(text, true);
  expect(tagsOf(view.element)).toEqual(["p", "p", "ul", "div"]);
});

const tagsOf = (element: Element): string[] => [...element.children].map(({ localName }) => localName);

test("code, lists and tables that grow keep the nodes that they have", () => {
  const start = "- one\n- two\n\n| a |\n|---|\n| 1 |\n\n```js\nlet a;";
  const list = showMarkdown("- one\n- two", false);
  const item = list.element.querySelector("li");
  list.update("- one\n- two and more\n- three", false);
  expect(list.element.querySelector("li")).toBe(item);

  const table = showMarkdown("| a |\n|---|\n| 1 |", false);
  const cell = table.element.querySelector("td");
  table.update("| a |\n|---|\n| 1 |\n| 2 |", false);
  expect(table.element.querySelector("td")).toBe(cell);

  const code = showMarkdown(start, false);
  const text = code.element.querySelector("pre code")?.firstChild;
  code.update(`${start}\nlet b;\n\`\`\``, true);
  expect(code.element.querySelector("pre code")?.firstChild).toBe(text);
  expect(text?.textContent).toBe("let a;\nlet b;");
});

test("another text takes the place of the one before, whole", () => {
  const view = showMarkdown(everything);
  view.update("Just *this*.", true);
  expect(view.element.innerHTML).toBe("<p>Just <em>this</em>.</p>");
});

test("code is copied as it is, and where the browser refuses that it is selected", async () => {
  const writeText = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValueOnce();
  const { element } = showMarkdown("```js\nlet a = `<b>`;\n```");
  const button = element.querySelector("button");
  button?.click();
  await expect.poll(() => button?.textContent).toBe("Copied the code");
  expect(writeText).toHaveBeenCalledExactlyOnceWith("let a = `<b>`;");

  writeText.mockRejectedValueOnce(new DOMException("No", "NotAllowedError"));
  button?.click();
  await expect.poll(() => element.querySelector("[role=status]")?.textContent).toContain("copy it with your keyboard");
  expect(getSelection()?.toString()).toBe("let a = `<b>`;");
});

test("code has its colours once its text is complete, keeps its text, and does without where the colours fail", async () => {
  setHighlighter(async (text, language) => {
    if (language !== "js") throw new Error("no such language");
    return [{ text: text.slice(0, 3), kind: "hljs-keyword" }, { text: text.slice(3) }];
  });
  onTestFinished(() => setHighlighter(undefined));
  const text = "```js\nlet a = 1;\n```\n\n```odd\nx\n```";
  const view = showMarkdown(text, false);
  expect(view.element.querySelector("code span")).toBeNull();
  view.update(text, true);
  await expect.poll(() => view.element.querySelector("code .hljs-keyword")?.textContent).toBe("let");
  view.update(text, true);
  expect([...view.element.querySelectorAll("code")].map(({ textContent }) => textContent)).toEqual(["let a = 1;", "x"]);
  expect(view.element.querySelector("code .hljs-keyword")).not.toBeNull();
});
