import type { Inline } from "../tree.ts";
import { linkTo } from "./address.ts";
import { createEmphasisFrame } from "./emphasis.ts";
import { hasMarks, scanInline } from "./scan-inline.ts";
import type { InlineOptions } from "./scan-inline.ts";
import type { Token } from "./tokens.ts";

/** Reads what stands inside a line, or in the lines of a paragraph. */
export function parseInline(text: string, options: InlineOptions): readonly Inline[] {
  if (!hasMarks(text)) return text === "" ? [] : [{ kind: "text", text }];
  const whole = createEmphasisFrame();
  /** The whole text, and the links that are being read. */
  const frames = [whole];
  const current = () => frames.at(-1) ?? whole;

  function take(token: Token): void {
    if (token.kind === "text") current().push(token);
    else if (token.kind === "run") current().pushRun(token);
    else if (token.kind === "node") pushNode(token.node);
    else if (token.kind === "closing") closeLink(token.opening.link?.href ?? null);
    else if (token.link) frames.push(createEmphasisFrame());
    else current().push({ kind: "text", text: token.text });
  }

  function pushNode(node: Inline): void {
    const isLinkInLink = node.kind === "link" && frames.length > 1;
    for (const one of isLinkInLink ? node.children : [node]) current().push(one);
  }

  function closeLink(href: string | null): void {
    const { nodes, depth } = frames.pop()?.finish(false) ?? { nodes: [], depth: 0 };
    if (href !== null && frames.length === 1) return current().push(linkTo(href, nodes), depth + 1);
    for (const node of nodes) current().push(node, depth);
  }

  scanInline(text, options).forEach(take);
  return whole.finish(options.isOpen).nodes;
}
