// Brings the document in line with a tree, and touches only what is different: a selection in what is finished stays.
import { makeElement } from "./make-element.ts";
import type { Made } from "./make-element.ts";
import type { MarkdownNode } from "./tree.ts";

export interface Drawn extends Made {
  readonly node: MarkdownNode;
  readonly children: readonly Drawn[];
}

/** Draws nodes into an element that shows what was drawn before, and nothing else. */
export function drawNodes(place: Element, before: readonly Drawn[], nodes: readonly MarkdownNode[]): readonly Drawn[] {
  const drawn = nodes.map((node, index) => {
    const old = before[index];
    if (old?.node === node) return old;
    if (old && isAlike(old.node, node)) return update(old, node);
    const made = create(node);
    if (old) old.outer.replaceWith(made.outer);
    else place.append(made.outer);
    return made;
  });
  for (const { outer } of before.slice(nodes.length)) outer.remove();
  return drawn;
}

function create(node: MarkdownNode): Drawn {
  const made = makeElement(node);
  return { ...made, node, children: drawChildren(made.inner, [], node) };
}

function update(old: Drawn, node: MarkdownNode): Drawn {
  if ("text" in node && old.inner instanceof Text) setText(old.inner, node.text);
  return { ...old, node, children: drawChildren(old.inner, old.children, node) };
}

function drawChildren(place: Element | Text, before: readonly Drawn[], node: MarkdownNode): readonly Drawn[] {
  return "children" in node && place instanceof Element ? drawNodes(place, before, node.children) : [];
}

/** Text that only grew keeps what is selected of it. */
function setText(place: Text, text: string): void {
  if (text.startsWith(place.data)) place.appendData(text.slice(place.data.length));
  else place.data = text;
}

/** Whether two nodes differ in their text and children only. */
function isAlike(one: MarkdownNode, other: MarkdownNode): boolean {
  return traits(one) === traits(other);
}

function traits(node: MarkdownNode): string {
  return JSON.stringify({ ...node, text: undefined, children: undefined });
}
