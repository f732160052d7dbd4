import { createMarkdown } from "./create-markdown.ts";
import type { Markdown } from "./create-markdown.ts";
import type { Block } from "./create-blocks.ts";
import type { Leave } from "./create-line.ts";
import {
  addressOf,
  bodyOf,
  documentOf,
  firstOf,
  isDesigned,
  kindOf,
  nameOf,
  nextOf,
  shadowOf,
  titleOf,
  hasAttribute,
} from "./dom.ts";
import { shownOf } from "./shown.ts";
import { writeElement } from "./write-element.ts";
import { plainUrl } from "../../wire/index.ts";

/** A page as text. */
export interface ReadDocument {
  readonly title: string;
  /** Without its query, which may hold secrets. */
  readonly address: string;
  readonly blocks: readonly Block[];
  /** The page goes on where reading ended. */
  readonly isCut: boolean;
}

export interface ReadingLimits {
  /** The nodes that are visited. */
  readonly nodes: number;
  readonly characters: number;
}

export const readingLimits: ReadingLimits = { nodes: 200_000, characters: 2_000_000 };

const longestTitle = 1000;

/** An element that is open, and its children that are left to read. */
interface Level {
  next: Node | null;
  /** In place of the siblings that follow. */
  readonly rest: Iterator<Node> | undefined;
  readonly isTextShown: boolean;
  readonly leave: Leave;
}

/** The visible text of a document, with its frames of the same origin and its open shadow roots. Nothing of the page is changed. */
export function readDocument(document: Document, limits: ReadingLimits = readingLimits): ReadDocument {
  const markdown = createMarkdown();
  const body = isDesigned(document) ? null : bodyOf(document);
  const levels: Level[] = [
    { next: null, rest: (body ? [body] : []).values(), isTextShown: true, leave: markdown.block },
  ];
  let nodes = 0;
  let isCut = false;
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const node = takeNext(level);
    if (!node || isCut) {
      level.leave();
      levels.pop();
      continue;
    }
    isCut = ++nodes > limits.nodes || markdown.size >= limits.characters;
    if (isCut) continue;
    if (kindOf(node) === Node.TEXT_NODE) {
      const room = limits.characters - markdown.size;
      isCut = level.isTextShown && (node as Text).length > room;
      if (level.isTextShown) markdown.text((node as Text).substringData(0, room));
    } else if (kindOf(node) === Node.ELEMENT_NODE) {
      const inner = enter(node as Element, markdown);
      if (inner) levels.push(inner);
    }
  }
  return {
    title: titleOf(document).slice(0, longestTitle),
    address: plainUrl(addressOf(document)),
    blocks: markdown.blocks,
    isCut,
  };
}

function takeNext(level: Level): Node | null {
  if (level.rest) return (level.rest.next().value as Node | undefined) ?? null;
  const node = level.next;
  level.next = node && nextOf(node);
  return node;
}

function enter(element: Element, markdown: Markdown): Level | undefined {
  const style = getComputedStyle(element);
  const shown = shownOf(element, style);
  if (shown === "nothing") return undefined;
  const leave = writeElement(element, style.display, markdown);
  if (!leave) return undefined;
  const { next = null, rest } = childrenOf(element);
  return { next, rest, isTextShown: shown === "all", leave };
}

/** An element's children as the browser shows them. */
function childrenOf(element: Element): Partial<Pick<Level, "next" | "rest">> {
  const name = nameOf(element);
  if (name === "iframe" || name === "frame") {
    const document = documentOf(element as HTMLIFrameElement);
    const body = document && bodyOf(document);
    return { rest: (body ? [body] : []).values() };
  }
  if (name === "details" && !hasAttribute(element, "open")) {
    const summary = element.querySelector(":scope > summary");
    return { rest: (summary ? [summary] : []).values() };
  }
  const root = shadowOf(element);
  if (root) return { next: firstOf(root) };
  const assigned = name === "slot" ? (element as HTMLSlotElement).assignedNodes() : [];
  return assigned.length > 0 ? { rest: assigned.values() } : { next: firstOf(element) };
}
