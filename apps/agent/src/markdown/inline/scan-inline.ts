// Cuts a text into tokens, from its beginning to its end, once. Brackets find their partners here, because a link binds
// tighter than emphasis.
import type { Inline } from "../tree.ts";
import { linkTo, parseAddress } from "./address.ts";
import { readEntity } from "./entities.ts";
import { createBacktickFinder } from "./find-backticks.ts";
import { readDestination } from "./read-destination.ts";
import type { Opening, Token } from "./tokens.ts";

/** Brackets that wait for their partners; more are text. */
const MOST_BRACKETS = 32;

const special = /[\\`*_~[\]!<&\n]|https?:\/\//gi;

/** Whether a text is more than letters. */
export function hasMarks(text: string): boolean {
  special.lastIndex = 0;
  return special.test(text);
}

export interface InlineOptions {
  /** Whether more of the text may come. */
  readonly isOpen: boolean;
}

export function scanInline(text: string, { isOpen }: InlineOptions): Token[] {
  const tokens: Token[] = [];
  const brackets: Opening[] = [];
  const findBackticks = createBacktickFinder(text);
  const pushText = (piece: string): void => void (piece !== "" && tokens.push({ kind: "text", text: piece }));
  const pushNode = (node: Inline): void => void tokens.push({ kind: "node", node });

  /** Each takes what begins at a place and says where it ends; undefined where that is only text. */
  const readers: Readonly<Record<string, (at: number) => number | undefined>> = {
    "\\": readEscape,
    "`": readCode,
    "*": readRun,
    _: readRun,
    "~": readRun,
    "[": (at) => readOpening(at, "["),
    "!": (at) => (text[at + 1] === "[" ? readOpening(at, "![") : undefined),
    "]": readClosing,
    "<": readPointed,
    "&": readCharacter,
    "\n": readLineEnd,
    h: readAddress,
    H: readAddress,
  };

  function readEscape(at: number): number | undefined {
    const next = text[at + 1] ?? "";
    if (next === "\n") pushNode({ kind: "break" });
    else if (/[!-/:-@[-`{-~]/.test(next)) pushText(next);
    else return undefined;
    return at + 2;
  }

  function readCode(at: number): number {
    const length = runLength(text, at);
    const start = at + length;
    // Code whose end has not come yet is shown as code.
    const end = findBackticks(length, start) ?? (isOpen && start < text.length ? text.length : undefined);
    if (end === undefined) pushText(isOpen ? "" : text.slice(at, start));
    else pushNode({ kind: "code", text: codeText(text.slice(start, end)) });
    return end === undefined ? start : end + length;
  }

  function readRun(at: number): number {
    const end = at + runLength(text, at);
    // What may yet grow into another mark is not shown as this one.
    if (isOpen && end === text.length) return end;
    if (text[at] === "~" && end - at !== 2) pushText(text.slice(at, end));
    else tokens.push({ kind: "run", mark: text[at] ?? "", length: end - at, ...flanks(text, at, end) });
    return end;
  }

  function readOpening(at: number, mark: Opening["text"]): number | undefined {
    if (brackets.length >= MOST_BRACKETS) return undefined;
    const opening: Opening = { kind: "opening", text: mark };
    brackets.push(opening);
    tokens.push(opening);
    return at + mark.length;
  }

  function readClosing(at: number): number | undefined {
    const opening = brackets.pop();
    const destination = opening && text[at + 1] === "(" ? readDestination(text, at + 2) : undefined;
    if (!opening || !destination || (destination.isCut && !isOpen)) return undefined;
    opening.link = { href: (!destination.isCut && parseAddress(destination.address)) || null };
    // There are no links inside of links.
    if (opening.text === "[") brackets.length = 0;
    tokens.push({ kind: "closing", opening });
    return destination.end;
  }

  function readPointed(at: number): number | undefined {
    const lineBreak = matchAt(/<br ?\/?>/iy, text, at);
    if (lineBreak) {
      pushNode({ kind: "break" });
      return at + lineBreak.length;
    }
    const address = matchAt(/<(?:https?:\/\/|mailto:)[^\s<>]+>/iy, text, at);
    const href = address && parseAddress(address.slice(1, -1));
    if (!address || !href) return undefined;
    pushNode(linkTo(href, [{ kind: "text", text: address.slice(1, -1) }]));
    return at + address.length;
  }

  function readCharacter(at: number): number | undefined {
    const entity = readEntity(text, at);
    if (!entity) return undefined;
    pushText(entity.text);
    return entity.end;
  }

  function readLineEnd(at: number): number {
    if (text.slice(Math.max(0, at - 2), at) === "  ") pushNode({ kind: "break" });
    else pushText("\n");
    return at + 1;
  }

  function readAddress(at: number): number | undefined {
    if (/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return undefined;
    const found = withoutEnd(matchAt(/[^\s<>\]`|"，。、；）」』】》]+/y, text, at) ?? "");
    const href = parseAddress(found);
    if (!href) return undefined;
    pushNode(linkTo(href, [{ kind: "text", text: found }]));
    return at + found.length;
  }

  let at = 0;
  while (at < text.length) {
    special.lastIndex = at;
    const next = special.exec(text)?.index ?? text.length;
    pushText(text[next] === "\n" ? text.slice(at, next).trimEnd() : text.slice(at, next));
    if (next === text.length) break;
    const end = readers[text[next] ?? ""]?.(next);
    if (end === undefined) pushText(text[next] ?? "");
    at = end ?? next + 1;
  }
  return tokens;
}

function runLength(text: string, at: number): number {
  let end = at + 1;
  while (text[end] === text[at]) end += 1;
  return end - at;
}

function codeText(text: string): string {
  const line = text.replaceAll("\n", " ");
  const isPadded = line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "";
  return isPadded ? line.slice(1, -1) : line;
}

/** Whether a run of marks can begin emphasis, and end it: that is up to what stands around it. */
function flanks(text: string, start: number, end: number): { canOpen: boolean; canClose: boolean } {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  const isLeft = !isSpace(after) && (!isSign(after) || isSpace(before) || isSign(before));
  const isRight = !isSpace(before) && (!isSign(before) || isSpace(after) || isSign(after));
  if (text[start] !== "_") return { canOpen: isLeft, canClose: isRight };
  return { canOpen: isLeft && (!isRight || isSign(before)), canClose: isRight && (!isLeft || isSign(after)) };
}

function isSpace(character: string): boolean {
  return character === " " || /\s/.test(character);
}

function isSign(character: string): boolean {
  // Nearly all are letters of the first alphabet, and the classes of Unicode are slow to look up.
  return character < "\u0080" ? /[!-/:-@[-`{-~]/.test(character) : /[\p{P}\p{S}]/u.test(character);
}

/** What ends a sentence does not belong to the address in it, nor does a parenthesis that began before it. */
function withoutEnd(address: string): string {
  let open = 0;
  for (const character of address) open += character === "(" ? 1 : character === ")" ? -1 : 0;
  let end = address.length;
  for (;;) {
    const last = address[end - 1] ?? "";
    if (last === ")" && open < 0) open += 1;
    else if (!/[?!.,:;*_~']/.test(last)) return address.slice(0, end);
    end -= 1;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
