import { addressOf, attribute, baseOf, hasAttribute, nameOf, spaceOf } from "./dom.ts";
import { fenceFor } from "./create-line.ts";
import type { Leave } from "./create-line.ts";
import type { Markdown } from "./create-markdown.ts";
import { editorWords, fieldWords, labelOf } from "./field-words.ts";
import { parseUrl, plainUrl } from "../../wire/index.ts";

/** Writes an element's own words; undefined if its children are not read. */
type Write = (element: HTMLElement, markdown: Markdown) => Leave | undefined;

const longestUrl = 2000;
const mostSpan = 50;
const drawing = "http://www.w3.org/2000/svg";
const nothing: Leave = () => {};
/** In a table that only arranges a page. */
const notInData = "table, h1, h2, h3, h4, h5, h6, pre, form, iframe";

const skip: Write = () => undefined;
const field: Write = (element, markdown) => {
  const words = fieldWords(element as HTMLInputElement);
  if (words) say(words, markdown);
  return undefined;
};
const heading: Write = (element, markdown) => {
  const level = Number(attribute(element, "aria-level") || nameOf(element).slice(1));
  return markdown.heading(level >= 1 && level <= 6 ? Math.floor(level) : 2);
};
const list: Write = (element, markdown) => {
  const start = attribute(element, "start");
  return markdown.list(nameOf(element) !== "ol" ? undefined : (wholeNumber(start) ?? 1));
};
const code: Write = (_element, markdown) =>
  markdown.wrapped({
    wrap(text) {
      const fence = fenceFor(text, 1);
      return fence.length > 1 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
    },
  });
const cell: Write = (element, markdown) =>
  markdown.cell(Math.min(mostSpan, wholeNumber(attribute(element, "colspan")) ?? 1));
const button: Write = (element, markdown) => {
  const label = labelOf(element);
  return markdown.wrapped({
    wrap: (text) => `[button: ${text}]`,
    isOnce: true,
    ...(label && { instead: `[button: ${label}]` }),
  });
};
const picture: Write = (element, markdown) => {
  const words = attribute(element, "alt") || attribute(element, "aria-label");
  if (words) say(`[image: ${words}]`, markdown);
  return undefined;
};

const writers: Readonly<Record<string, Write>> = {
  ...all("script style noscript template head title meta link base datalist noembed noframes map object embed", skip),
  ...all("video audio canvas progress meter", skip),
  ...all("input select textarea", field),
  ...all("h1 h2 h3 h4 h5 h6", heading),
  ...all("ul ol menu", list),
  ...all("code kbd samp", code),
  ...all("td th", cell),
  a: link,
  button,
  img: picture,
  pre: (_element, markdown) => markdown.code(),
  li: (element, markdown) => markdown.item(wholeNumber(attribute(element, "value"))),
  dd: (_element, markdown) => markdown.indented("  "),
  blockquote: (_element, markdown) => markdown.indented("> "),
  br(_element, markdown) {
    markdown.lineBreak();
    return undefined;
  },
  table: (element, markdown) => (isData(element) ? markdown.table() : block(markdown)),
  tr: (_element, markdown) => markdown.row(),
};

/** Writes an element's beginning, and returns how to write its end. */
export function writeElement(element: Element, display: string, markdown: Markdown): Leave | undefined {
  const name = nameOf(element);
  if (spaceOf(element) === drawing) return writeDrawing(element, name, markdown);
  const html = element as HTMLElement;
  if (isEditor(html)) {
    say(editorWords(html), markdown);
    return undefined;
  }
  const write = Object.hasOwn(writers, name) ? writers[name] : undefined;
  if (write) return write(html, markdown);
  const role = attribute(html, "role");
  if (role === "heading") return heading(html, markdown);
  if (role === "img" && attribute(html, "aria-label")) return picture(html, markdown);
  if (role === "button") return button(html, markdown);
  return /^(inline|contents|none|ruby)/.test(display) ? nothing : block(markdown);
}

function writeDrawing(element: Element, name: string, markdown: Markdown): Leave | undefined {
  if (name === "svg" && attribute(element, "aria-label")) return picture(element as HTMLElement, markdown);
  if (/^(title|desc|defs|metadata|style|script)$/.test(name)) return undefined;
  if (name === "text") markdown.text(" ");
  return nothing;
}

/** Whether an element's text is the person's. */
function isEditor(element: Element): boolean {
  return hasAttribute(element, "contenteditable") && attribute(element, "contenteditable") !== "false";
}

function block(markdown: Markdown): Leave {
  markdown.block();
  return markdown.block;
}

function say(words: string, markdown: Markdown): void {
  markdown.text(" ");
  markdown.push(words);
  markdown.text(" ");
}

function link(element: HTMLElement, markdown: Markdown): Leave {
  const url = linkUrl(element);
  if (!url) return nothing;
  const label = labelOf(element);
  const wrap = (text: string) => `[${text}](${url})`;
  return markdown.wrapped({ wrap, isOnce: true, ...(label && { instead: wrap(label) }) });
}

/** The address that a link leads to, if it is another page; its own address may have secrets in its query. */
function linkUrl(element: Element): string | undefined {
  const url = hasAttribute(element, "href")
    ? parseUrl(attribute(element, "href", longestUrl + 1), baseOf(element))
    : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > longestUrl) return undefined;
  const own = parseUrl(addressOf(element.ownerDocument));
  if (own && plainUrl(url.href) === plainUrl(own.href) && url.search === own.search) return undefined;
  Object.assign(url, { username: "", password: "" });
  return url.href.replace(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29"));
}

function isData(table: Element): boolean {
  return !/^(presentation|none)$/.test(attribute(table, "role")) && table.querySelector(notInData) === null;
}

function wholeNumber(text: string): number | undefined {
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function all(names: string, write: Write): Readonly<Record<string, Write>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, write]));
}
