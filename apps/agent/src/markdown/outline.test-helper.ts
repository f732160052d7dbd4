import type { MarkdownNode } from "./tree.ts";

/** A tree as nested lists of words, so that a test can be read. */
export function outline(nodes: readonly MarkdownNode[]): unknown[] {
  return nodes.map((node) => {
    if (node.kind === "text") return node.text;
    const { kind, ...rest } = node;
    const traits = Object.entries(rest).flatMap(([name, value]) =>
      ["children", "text"].includes(name) || value === null || value === "" ? [] : [`${name}=${String(value)}`],
    );
    const name = [kind, ...traits].join(" ");
    if ("text" in node) return [name, node.text];
    return "children" in node ? [name, ...outline(node.children)] : [name];
  });
}

/** Every node of a tree. */
export function everyNode(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return nodes.flatMap((node) => [node, ...("children" in node ? everyNode(node.children) : [])]);
}

export function depthOf(nodes: readonly MarkdownNode[]): number {
  return Math.max(0, ...nodes.map((node) => 1 + ("children" in node ? depthOf(node.children) : 0)));
}
