/** Parentheses inside of each other in an address. */
const DEEPEST = 4;

export interface Destination {
  readonly address: string;
  /** The first place after it. */
  readonly end: number;
  /** Whether the text ended before it did. */
  readonly isCut: boolean;
}

/** Reads `address "title")` from the place after its opening parenthesis; undefined where it is none. */
export function readDestination(text: string, from: number): Destination | undefined {
  const start = skipSpace(text, from);
  const address = text[start] === "<" ? readPointed(text, start + 1) : readPlain(text, start);
  if (!address || address.isCut) return address;
  let at = skipSpace(text, address.end);
  if (at > address.end && /["'(]/.test(text[at] ?? "")) at = skipSpace(text, afterTitle(text, at));
  if (at >= text.length) return { ...address, end: text.length, isCut: true };
  return text[at] === ")" ? { ...address, end: at + 1 } : undefined;
}

function readPlain(text: string, start: number): Destination | undefined {
  let depth = 0;
  let at = start;
  for (; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "(") depth += 1;
    if (character === "\\") at += 1;
    else if (isSpace(character) || (character === ")" && depth === 0)) break;
    else if (character === ")") depth -= 1;
    if (depth > DEEPEST) return undefined;
  }
  const isCut = at >= text.length;
  return isCut || depth === 0 ? { address: unescaped(text.slice(start, at)), end: at, isCut } : undefined;
}

function readPointed(text: string, start: number): Destination | undefined {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === ">") return { address: unescaped(text.slice(start, at)), end: at + 1, isCut: false };
    if (text[at] === "<" || text[at] === "\n") return undefined;
    if (text[at] === "\\") at += 1;
  }
  return { address: "", end: text.length, isCut: true };
}

function afterTitle(text: string, start: number): number {
  const end = text[start] === "(" ? ")" : text[start];
  let at = start + 1;
  while (at < text.length && text[at] !== end) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at += 1;
  return at;
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\t";
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}
