import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { inParts } from "./in-parts.ts";
import { readDocument } from "./read-document.ts";

const frames: HTMLIFrameElement[] = [];

afterEach(() => {
  for (const frame of frames.splice(0)) frame.remove();
});

/** A document with this body, as large as a window. */
async function open(html: string): Promise<Document> {
  const frame = document.createElement("iframe");
  frame.srcdoc = `<!doctype html><title>A page</title><base href="https://shop.example/a/"><body>${html}`;
  frame.style.cssText = "width: 800px; height: 600px";
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  frames.push(frame);
  await loaded;
  return frame.contentDocument as Document;
}

const markdownOf = (page: Document) => inParts(readDocument(page).blocks, Infinity).join("");
const read = async (html: string) => markdownOf(await open(html));

test("a document that its person edits as a whole is not read", async () => {
  const page = await open("<p>secret</p>");
  page.designMode = "on";
  expect(markdownOf(page)).toBe("");
  page.designMode = "off";
  expect(markdownOf(page)).toBe("secret");
});

const pages: Readonly<Record<string, readonly (readonly [html: string, markdown: string])[]>> = {
  "headings and paragraphs": [
    ["<h1>One</h1><p>Two\n  words</p>three<h3>Four <b>five</b></h3>", "# One\n\nTwo words\n\nthree\n\n### Four five"],
    ["<div role=heading aria-level=4>Deep</div>", "#### Deep"],
    ["<h2><div>One</div><div>line</div></h2>", "## One line"],
    ["a<br>b<div>c</div>d", "a\nb\n\nc\n\nd"],
    ["<span>in</span><span>line</span> <i> text </i>", "inline text"],
    ["<div style='display: flex'><span>one</span><span>two</span></div>", "one\n\ntwo"],
    ["<p># no heading<p>1. no item<p>- none", "\\# no heading\n\n1\\. no item\n\n\\- none"],
    ["<blockquote><p>Said<br>so</blockquote>", "> Said\n> so"],
  ],
  lists: [
    ["<p>a<ul><li>one<li>two</ul><p>b", "a\n\n- one\n- two\n\nb"],
    ["<ol start=3><li>c<li>d<li value=9>i<li>j</ol>", "3. c\n4. d\n9. i\n10. j"],
    ["<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d"],
    ["<ul><li><p>one<p>two</ul>", "- one\n\n  two"],
    ["<ul><li>a</ul><ul><li>b</ul>", "- a\n\n- b"],
    ["<dl><dt>Word<dd>Its meaning</dl>", "Word\n\n  Its meaning"],
  ],
  tables: [
    ["<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    ["<table><tr><td colspan=2>a|b<tr><td>1<td><p>2<p>3</table>", "| a\\|b |  |\n| --- | --- |\n| 1 | 2 3 |"],
    ["<table><caption>Sales</caption><tr><th>A</table>", "Sales\n\n| A |\n| --- |"],
    ["<table><tr><td><h2>Menu</h2><td><table><tr><td>x<td>y</table></table>", "## Menu\n\n| x | y |\n| --- | --- |"],
    ["<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"],
    ["<table><tr style='display: none'><td>gone<tr><td>there</table>", "| there |\n| --- |"],
  ],
  links: [
    ["<a href='b?c=1#d'>There</a>", "[There](https://shop.example/a/b?c=1#d)"],
    ["see <a href=/x> it </a>now", "see [it](https://shop.example/x) now"],
    ["<a href='javascript:alert(1)'>run</a> <a href=mailto:a@b.example>mail</a>", "run mail"],
    ["<a href='https://me:secret@shop.example/'>in</a>", "[in](https://shop.example/)"],
    ["<a href='x_(y)'>w</a>", "[w](https://shop.example/a/x_%28y%29)"],
    ["<a href=/card><h3>Card</h3><p>Its text</p></a>", "### [Card](https://shop.example/card)\n\nIts text"],
    ["<a href=/i><img alt=Logo></a>", "[[image: Logo]](https://shop.example/i)"],
    ["<a href=/i aria-label=Basket><svg></svg></a>", "[Basket](https://shop.example/i)"],
    ["<a href=/i></a>x", "x"],
  ],
  pictures: [
    ["<img alt='A cat' src=c.png> <img src=d.png> <img alt=''>", "[image: A cat]"],
    ["<div role=img aria-label=Chart>no</div>", "[image: Chart]"],
    ["<svg><title>no</title><text>Jan</text><text>Feb</text></svg>", "Jan Feb"],
  ],
  code: [
    ["<pre>\n a\n  b</pre>", "```\n a\n  b\n```"],
    ["<pre><a href=/x>a</a>`b```c</pre>", "````\na`b```c\n````"],
    ["use <code>x</code> or <kbd>a`b</kbd>", "use `x` or `` a`b ``"],
    ["<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"],
    ["<a href=/x><pre>a</pre></a>", "```\na\n```"],
  ],
  "fields without their values": [
    ["<label>Email <input type=email value=me@x.example required></label>", "Email [field: Email (email, required)]"],
    ["<input aria-label=Key type=password value=secret>", "[field: Key (password)]"],
    ["<textarea placeholder=Words>secret</textarea>", "[field: Words (text, several lines)]"],
    ["<span id=l>Named</span><input aria-labelledby=l value=secret>", "Named [field: Named (text)]"],
    ["<p contenteditable>my <b id=l>secret</b></p><input aria-labelledby=l>", "[field (text editor)] [field (text)]"],
    ["<p contenteditable id=l>secret</p><input aria-labelledby=l>", "[field (text editor)] [field (text)]"],
    ["<textarea id=l>secret</textarea><button aria-labelledby=l></button>", "[field (text, several lines)]"],
    ["<input name=q value=secret><input type=hidden value=secret>", "[field: q (text)]"],
    ["<select title=Size><option>S<option selected>M</select>", "[field: Size (one of: S, M)]"],
    ["<label><input type=checkbox checked> Remember me</label>", "[field: Remember me (checkbox)] Remember me"],
    ["<label>Land <select><option>A</select></label>", "Land [field: Land (one of: A)]"],
    ["<input type=submit value=Send><button>Go <b>on</b></button>", "[button: Send] [button: Go on]"],
    ["<button aria-label=Close><svg></svg></button><div role=button>Open</div>", "[button: Close][button: Open]"],
    ["<div contenteditable aria-label=Post>secret</div>", "[field: Post (text editor)]"],
    [
      "<label>Note <span contenteditable>secret</span><input></label>",
      "Note [field (text editor)] [field: Note (text)]",
    ],
  ],
  "only what is visible": [
    ["<p style='display: none'>no<p hidden>no<p>yes", "yes"],
    ["<p style='visibility: hidden'>no <b style='visibility: visible'>yes</b></p>", "yes"],
    ["<p style='opacity: 0'>no</p><p style='font-size: 0'>no</p><p aria-hidden=true>no</p>yes", "yes"],
    ["<details><summary>More</summary>no <p>no</p></details>", "More"],
    ["<details open><summary>More</summary>yes</details>", "More\n\nyes"],
    ["<div hidden=until-found>no</div>yes", "yes"],
    ["<div style='content-visibility: hidden'>no</div>yes", "yes"],
    ["<div style='height: 0; overflow: hidden'>no</div>yes", "yes"],
    ["<span style='position: absolute; width: 1px; height: 1px; overflow: hidden'>no</span>yes", "yes"],
    ["<span style='position: absolute; clip: rect(0 0 0 0)'>no</span>yes", "yes"],
    ["<span style='position: absolute; left: -9999px'>no</span>yes", "yes"],
    ["<div style='transform: scale(0)'>no</div>yes", "yes"],
    ["<div style='display: contents'>yes</div>", "yes"],
    ["<script>no</script><style>no</style><noscript>no</noscript><template>no</template>yes", "yes"],
    ["<!-- no --><title>no</title><dialog>no</dialog><dialog open>yes</dialog>", "yes"],
    ["<div style='position: fixed; right: 0; top: 0'>yes</div>", "yes"],
    ["<div style='overflow: auto; height: 50px'><p style='margin-top: 900px'>yes</div>", "yes"],
  ],
  "shadow roots and frames of the same origin": [
    [
      "<div><template shadowrootmode=open>a <slot></slot> <slot name=x>c</slot></template>b<i slot=y>no</i></div>",
      "a b c",
    ],
    ["<div><template shadowrootmode=open>a</template>no</div>", "a"],
    ["a<iframe srcdoc='<h2>In it</h2>'></iframe>b", "a\n\n## In it\n\nb"],
    ["<iframe sandbox srcdoc='no'></iframe>b", "b"],
    ["<iframe hidden srcdoc='no'></iframe>b", "b"],
  ],
  "forms whose fields are named like what is read": [
    [
      "<form><input name=firstChild><input name=localName><input name=nextSibling><input name=getAttribute></form><p>after",
      "[field: firstChild (text)] [field: localName (text)] [field: nextSibling (text)] [field: getAttribute (text)]\n\nafter",
    ],
    ["<img name=body alt=a><form name=title></form><embed name=URL>b", "[image: a]\n\nb"],
  ],
};

for (const [title, cases] of Object.entries(pages)) {
  test.each(cases)(`${title}: %s`, async (html, markdown) => {
    // Frames that are written with srcdoc load after their parent's text is parsed, and before its load event.
    expect(await read(html)).toBe(markdown);
  });
}

test("the title and the address are given, without the query", async () => {
  const page = await open("x");
  expect(readDocument(page)).toMatchObject({ title: "A page", address: "about:srcdoc", isCut: false });
  history.replaceState(null, "", `${location.pathname}?token=secret#part`);
  try {
    const here = document.createElement("a");
    here.href = "#part";
    here.textContent = "to the part";
    document.body.append(here);
    const read = readDocument(document);
    expect(read.address).toBe(`${location.origin}${location.pathname}`);
    expect(JSON.stringify(read)).toContain("to the part");
    expect(JSON.stringify(read)).not.toContain("secret");
    here.remove();
  } finally {
    history.replaceState(null, "", location.pathname);
  }
});

const nested = "div blockquote ul li a button h2 table td span details code".split(" ");

/** Elements in one another, and a text in the innermost. */
function nestedIn(page: Document, name: string, depth: number): HTMLElement {
  const top = page.createElement(name);
  top.setAttribute("open", "");
  let inner = top;
  for (let at = 1; at < depth; at++) {
    inner.setAttribute("href", "/x");
    const child = page.createElement(name);
    child.setAttribute("open", "");
    inner.append(child);
    inner = child;
  }
  inner.textContent = "the deepest";
  return top;
}

test.each(nested)("what is nested so deep that Chromium can just show it is read to its end: %s", async (name) => {
  const page = await open("");
  page.body.append(nestedIn(page, name, 150));
  const markdown = markdownOf(page);
  expect(markdown).toContain("the deepest");
  expect(markdown.length).toBeLessThan(1000);
});

test("what is nested deeper, and therefore not shown, does not stop reading", async () => {
  const page = await open("<table><tr><td>before</table>");
  // Of those two Chromium takes seconds itself.
  for (const name of nested.filter((each) => !/button|details/.test(each))) {
    const top = nestedIn(page, name, 10_000);
    top.hidden = true;
    page.querySelector("td")?.append(top);
  }
  page.body.append("after");
  // A table is in the cell, so that it is none of data.
  expect(markdownOf(page)).toBe("before\n\nafter");
});

test("a huge table is cut where the limits end, with its rows whole", async () => {
  const page = await open("");
  const table = page.createElement("table");
  for (let at = 0; at < 30_000; at++) table.insertRow().insertCell().textContent = `row ${at}`;
  page.body.append(table);
  const whole = readDocument(page);
  expect(whole.isCut).toBe(false);
  const parts = inParts(whole.blocks);
  expect(parts.length).toBeGreaterThan(10);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(20_000);
    expect(part).toMatch(/^\| [^\n]* \|(\n\| [^\n]* \|)*$/);
  }
  expect(readDocument(page, { nodes: 1000, characters: Infinity })).toMatchObject({ isCut: true });
  const short = readDocument(page, { nodes: Infinity, characters: 1000 });
  expect(short.isCut).toBe(true);
  expect(inParts(short.blocks, Infinity).join("").length).toBeLessThan(2000);
});

test("one endless text is cut, too", async () => {
  const page = await open("");
  page.body.textContent = "word ".repeat(100_000);
  const read = readDocument(page, { nodes: 10, characters: 1000 });
  expect(read.isCut).toBe(true);
  expect(inParts(read.blocks, Infinity).join("").length).toBeLessThanOrEqual(1000);
});

test("any nesting of any elements ends, changes nothing, and keeps each text once and in order", async () => {
  const page = await open("");
  // Without labels, whose words also name their fields.
  const name = fc.constantFrom(
    ..."a b button blockquote code dd details div dl dt em form h1 h3 li ol p pre q span table tbody td tr ul".split(
      " ",
    ),
  );
  const { tree } = fc.letrec<{ tree: Node; element: Node }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.nat(99).map(() => page.createTextNode("")),
      tie("element"),
    ),
    element: fc.tuple(name, fc.array(tie("tree"), { maxLength: 4 })).map(([tag, children]) => {
      const element = page.createElement(tag);
      element.setAttribute("href", "/x");
      element.setAttribute("open", "");
      element.append(...(children as Node[]));
      return element;
    }),
  }));
  fc.assert(
    fc.property(tree, (node) => {
      page.body.replaceChildren(node);
      const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
      const words: string[] = [];
      while (walker.nextNode()) {
        // Chromium shows no form that is a child of a table.
        if (!walker.currentNode.parentElement?.checkVisibility()) continue;
        words.push(`w${words.length}w`);
        walker.currentNode.nodeValue = `${words.at(-1)} `;
      }
      const before = page.body.innerHTML;
      const markdown = markdownOf(page);
      expect(page.body.innerHTML).toBe(before);
      // A table's parts that are not in a row have no layout of their own, but are shown.
      expect(markdown.match(/w\d+w/g) ?? []).toEqual(words);
    }),
  );
});
