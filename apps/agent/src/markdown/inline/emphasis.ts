// Pairs the marks of emphasis while the tokens of one text, or of one link's, come in. It looks at each mark a bounded
// number of times, and makes no tree deeper than it may be.
import type { Inline } from "../tree.ts";
import type { Run } from "./tokens.ts";

/** Emphasis inside of each other; what is deeper shows its marks. */
const DEEPEST = 12;

interface Opener {
  readonly run: Run;
  /** Marks that are not used yet: they stand as text until they are. */
  left: number;
  /** The index of that text. */
  readonly at: number;
  /** How deep the trees behind it are. */
  depth: number;
}

export interface EmphasisFrame {
  push(node: Inline, depth?: number): void;
  pushRun(run: Run): void;
  /** Ends it. What was begun and not ended shows its marks; with `isOpen` it looks as if it were ended. */
  finish(isOpen: boolean): { readonly nodes: readonly Inline[]; readonly depth: number };
}

export function createEmphasisFrame(): EmphasisFrame {
  const nodes: Inline[] = [];
  const openers: Opener[] = [];
  /** By the sort of a closing run: how many of the openers are known not to be its partners. */
  const known = Array.from({ length: 18 }, () => 0);
  let depth = 0;

  function push(node: Inline, itsDepth = 0): void {
    nodes.push(node);
    deepen(itsDepth);
  }

  function deepen(by: number): void {
    const last = openers[openers.length - 1];
    if (last) last.depth = Math.max(last.depth, by);
    else depth = Math.max(depth, by);
  }

  function pushRun(run: Run): void {
    let left = run.length;
    while (left > 0 && run.canClose) {
      const index = partnerOf(run);
      if (index === undefined) break;
      left -= pair(index, left);
    }
    if (left === 0) return;
    if (run.canOpen) openers.push({ run, left, at: nodes.length, depth: 0 });
    nodes.push(textNode(run.mark.repeat(left)));
  }

  function partnerOf(run: Run): number | undefined {
    const sort = "*_~".indexOf(run.mark) * 6 + (run.length % 3) * 2 + Number(run.canOpen);
    const lowest = known[sort] ?? 0;
    for (let index = openers.length - 1; index >= lowest; index -= 1) {
      const opener = openers[index];
      if (opener && isPair(opener.run, run)) return index;
    }
    known[sort] = openers.length;
    return undefined;
  }

  /** Makes a node of what stands behind an opener; says how many of the closing marks that took. */
  function pair(index: number, left: number): number {
    dropTo(index + 1);
    const opener = openers[index];
    if (!opener) return 0;
    if (opener.depth >= DEEPEST) {
      dropTo(index);
      push(textNode(opener.run.mark.repeat(left)));
      return left;
    }
    const used = opener.left >= 2 && left >= 2 ? 2 : 1;
    const children = joinTexts(nodes.splice(opener.at + 1));
    opener.left -= used;
    if (opener.left === 0) nodes.pop();
    else nodes[opener.at] = textNode(opener.run.mark.repeat(opener.left));
    const made = opener.depth + 1;
    opener.depth = 0;
    if (opener.left === 0) openers.pop();
    trimKnown();
    push({ kind: opener.run.mark === "~" ? "strike" : used === 2 ? "strong" : "emphasis", children }, made);
    return used;
  }

  /** Lets go of the openers from an index on: their marks stay text. */
  function dropTo(index: number): void {
    while (openers.length > index) deepen(openers.pop()?.depth ?? 0);
    trimKnown();
  }

  function trimKnown(): void {
    known.forEach((count, sort) => {
      if (count > openers.length) known[sort] = openers.length;
    });
  }

  function closeAll(): void {
    for (let opener = openers.at(-1); opener; opener = openers.at(-1)) {
      if (opener.at === nodes.length - 1) {
        openers.pop();
        nodes.pop();
      } else pair(openers.length - 1, opener.left);
    }
  }

  return {
    push,
    pushRun,
    finish(isOpen) {
      if (isOpen) closeAll();
      dropTo(0);
      return { nodes: joinTexts(nodes), depth };
    },
  };
}

function isPair(opener: Run, closer: Run): boolean {
  if (opener.mark !== closer.mark) return false;
  const isEither = opener.canClose || closer.canOpen;
  const isOdd = (opener.length + closer.length) % 3 === 0 && opener.length % 3 !== 0;
  return !(isEither && isOdd);
}

function textNode(text: string): Inline {
  return { kind: "text", text };
}

function joinTexts(nodes: readonly Inline[]): Inline[] {
  const joined: Inline[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    const text = texts.join("");
    if (text !== "") joined.push(textNode(text));
    texts = [];
  };
  for (const node of nodes) {
    if (node.kind === "text") texts.push(node.text);
    else {
      flush();
      joined.push(node);
    }
  }
  flush();
  return joined;
}
