import { createCodeBox } from "../code-box.ts";
import { html } from "../../../common/src/dom.ts";
import type { Cell, Item, Link, MarkdownNode } from "./tree.ts";

/** What a node of the tree is in the document. */
export interface Made {
  readonly outer: ChildNode;
  /** Where its children go, or its text. */
  readonly inner: Element | Text;
}

/** Makes the element of a node, without its children. */
export function makeElement(node: MarkdownNode): Made {
  switch (node.kind) {
    case "text":
      return same(document.createTextNode(node.text));
    case "code":
      return withText(html("code"), node.text);
    case "code-block":
      return makeCodeBlock(node);
    case "heading":
      // What is above them is the page's own: its title, and the name of the conversation.
      return same(html(headingTags[Math.min(node.level, 4) - 1] ?? "h6", { class: `heading level-${node.level}` }));
    case "list":
      return same(node.start === null ? html("ul") : html("ol", { start: node.start }));
    case "item":
      return makeItem(node);
    case "table":
      return makeTable();
    case "cell":
      return makeCell(node);
    case "link":
      return makeLink(node);
    default:
      return same(html(tags[node.kind]));
  }
}

const headingTags = ["h3", "h4", "h5", "h6"] as const;

const tags = {
  break: "br",
  rule: "hr",
  strong: "strong",
  emphasis: "em",
  strike: "del",
  paragraph: "p",
  quote: "blockquote",
  row: "tr",
} as const;

function same(node: Element | Text): Made {
  return { outer: node, inner: node };
}

function withText(outer: HTMLElement, text: string, place: HTMLElement = outer): Made {
  const inner = document.createTextNode(text);
  place.append(inner);
  return { outer, inner };
}

function makeCodeBlock({ language, text }: { readonly language: string; readonly text: string }): Made {
  const { element, code } = createCodeBox(language);
  return withText(element, text, code);
}

function makeItem({ checked }: Item): Made {
  if (checked === null) return same(html("li"));
  const inner = html("div");
  const box = html("input", { type: "checkbox", disabled: true, checked, "aria-label": checked ? "Done" : "Not done" });
  return { outer: html("li", { class: "task" }, box, inner), inner };
}

function makeTable(): Made {
  const inner = html("tbody");
  const attributes = { class: "table-scroll", tabindex: 0, role: "group", "aria-label": "Table" };
  return { outer: html("div", attributes, html("table", {}, inner)), inner };
}

function makeCell({ isHead, align }: Cell): Made {
  return same(isHead ? html("th", { scope: "col", class: align }) : html("td", { class: align }));
}

/** Nothing of where it leads is told to that place, nor to this page by it, and nothing is fetched before a click. */
function makeLink({ href, place }: Link): Made {
  const inner = html("span");
  const told = place !== null && html("span", { class: "link-place" }, ` (${place})`);
  const rel = "noopener noreferrer nofollow";
  return { outer: html("a", { href, target: "_blank", rel, title: href }, inner, told), inner };
}
