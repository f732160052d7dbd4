// Draws markdown-it's tokens with DOM nodes alone: no text becomes HTML, and nothing is fetched.
import type { Token } from "markdown-it";
import { html } from "../dom/dom.ts";
import { createCodeBox } from "./code-box.ts";

/** Deeper elements are drawn at this depth: browsers lay out elements recursively. */
const maxDepth = 32;

export function drawTokens(tokens: readonly Token[], root: Element, depth = 0): void {
  const places = [root];
  for (const [index, token] of tokens.entries()) {
    const place = places.at(-1) ?? root;
    if (token.nesting === 1) {
      const isTooDeep = depth + places.length > maxDepth;
      places.push(isTooDeep ? place : open(token, place, tokens[index + 2]));
    } else if (token.nesting === -1) {
      places.pop();
      if (token.type === "link_close" && place !== places.at(-1)) finishLink(place);
    } else {
      drawLeaf(token, place, depth + places.length);
    }
  }
}

/** Puts the token's element into a place, and returns where its children go. */
function open(token: Token, place: Element, inline: Token | undefined): Element {
  switch (token.type) {
    case "link_open":
      return openLink(token.attrGet("href"), place);
    case "heading_open":
      // The page has its own h1 and h2: its title, and the name of the conversation.
      return into(place, html(headingTags[depthOf(token)] ?? "h6", { class: `heading level-${levelOf(token)}` }));
    case "list_item_open":
      return openItem(place, inline);
    case "ordered_list_open":
      return into(place, html("ol", { start: token.attrGet("start") ?? 1 }));
    case "table_open":
      return openTable(place);
    case "th_open":
      return into(place, html("th", { scope: "col", class: alignmentOf(token) }));
    case "td_open":
      return into(place, html("td", { class: alignmentOf(token) }));
    default: {
      const tag = tags[token.type];
      return tag === undefined ? place : into(place, html(tag));
    }
  }
}

const headingTags = ["h3", "h4", "h5", "h6"] as const;

function levelOf({ tag }: Token): number {
  return Number(tag.slice(1));
}

function depthOf(heading: Token): number {
  const { depth } = Object(heading.meta) as { readonly depth?: number };
  return depth ?? levelOf(heading) - 1;
}

/**
 * The level of each heading: at most one below the heading before it, at any level that the text begins with
 * or skips. `above` are the levels that it stands below; returned are those for the next block.
 */
export function nestHeadings(tokens: readonly Token[], above: readonly number[] = []): readonly number[] {
  let open = above;
  for (const token of tokens) {
    if (token.type !== "heading_open") continue;
    const level = levelOf(token);
    open = open.filter((other) => other < level);
    token.meta = { depth: open.length };
    open = [...open, level];
  }
  return open;
}

const tags: Readonly<Record<string, keyof HTMLElementTagNameMap>> = {
  paragraph_open: "p",
  blockquote_open: "blockquote",
  bullet_list_open: "ul",
  tr_open: "tr",
  strong_open: "strong",
  em_open: "em",
  s_open: "del",
};

function into<Kind extends Element>(place: Element, element: Kind): Kind {
  place.append(element);
  return element;
}

function openItem(place: Element, inline: Token | undefined): Element {
  const [text] = inline?.type === "inline" ? (inline.children ?? []) : [];
  const task = text?.type === "text" ? /^\[([ xX])\] /.exec(text.content) : null;
  if (!text || !task) return into(place, html("li"));
  text.content = text.content.slice(task[0].length);
  const checked = task[1] !== " ";
  const label = checked ? "Done" : "Not done";
  const inner = html("div");
  const box = html("input", { type: "checkbox", disabled: true, checked, "aria-label": label });
  place.append(html("li", { class: "task" }, box, inner));
  return inner;
}

function openTable(place: Element): Element {
  const inner = html("tbody");
  const attributes = { class: "table-scroll", tabindex: 0, role: "group", "aria-label": "Table" };
  place.append(html("div", attributes, html("table", {}, inner)));
  return inner;
}

function alignmentOf(token: Token): string {
  const style = String(token.attrGet("style"));
  return style.endsWith("right") ? "end" : style.endsWith("center") ? "center" : "start";
}

function drawLeaf(token: Token, place: Element, depth: number): void {
  switch (token.type) {
    case "inline":
      drawTokens(token.children ?? [], place, depth);
      break;
    case "softbreak":
      place.append("\n");
      break;
    case "hardbreak":
      place.append(html("br"));
      break;
    case "hr":
      place.append(html("hr"));
      break;
    case "code_inline":
      place.append(html("code", {}, token.content));
      break;
    case "fence":
      place.append(createCodeBox(token.info.trim(), token.content.replace(/\n$/, "")).element);
      break;
    case "image": {
      const link = openLink(token.attrGet("src"), place);
      if (depth < maxDepth) drawTokens(token.children ?? [], link, depth + 1);
      else link.append(token.content);
      if (link !== place) finishLink(link);
      break;
    }
    default:
      if (token.content !== "") place.append(token.content);
  }
}

/** The linked page gets no referrer and no access to this one. Addresses that must not be linked are left out. */
function openLink(address: string | number | null, place: Element): Element {
  const href = parseAddress(String(address));
  if (href === undefined || place.closest("a")) return place;
  const inner = html("span");
  place.append(html("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", title: href }, inner));
  return inner;
}

function finishLink(inner: Element): void {
  const link = inner.parentElement;
  if (!(link instanceof HTMLAnchorElement)) return;
  if (inner.textContent === "") inner.append(link.href);
  const place = misleadingPlace(link.href, inner.textContent);
  if (place !== undefined) link.append(html("span", { class: "link-place" }, ` (${place})`));
}

// Which addresses a text may link to, and which links show the host that they lead to.

/** The address as browsers write it; undefined unless it is an absolute one of http, https or mailto without credentials. */
function parseAddress(text: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(text) || !URL.canParse(text)) return undefined;
  const { href, protocol, username, password } = new URL(text);
  if (!["http:", "https:", "mailto:"].includes(protocol) || username !== "" || password !== "") return undefined;
  return href;
}

/** The host or mailbox that a link leads to, where its text could be taken for another one. */
function misleadingPlace(href: string, text: string): string | undefined {
  const { protocol, host, pathname } = new URL(href);
  const place = protocol === "mailto:" ? pathname : host;
  return namesAnotherPlace(text, place) ? place : undefined;
}

function namesAnotherPlace(text: string, place: string): boolean {
  // Invisible characters and marks of direction can make a text look like any other.
  if (/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/.test(text)) return true;
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}.:/@_-]+/u);
  return words.some((word) => {
    const named = word.replace(/^[a-z]{1,20}:\/*/, "").split("/")[0] ?? "";
    return /[^.]\.[^.]/.test(named) && !isSamePlace(named, place);
  });
}

/** Browsers write hosts in punycode, so that a host in letters of another alphabet differs. */
function isSamePlace(named: string, place: string): boolean {
  const bare = (host: string): string => host.replace(/^www\./, "").replace(/[.:-]+$/, "");
  return bare(named) === bare(place.toLowerCase());
}
