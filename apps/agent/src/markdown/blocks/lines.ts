// What one line says of the block that it begins. Every look at a line takes time in proportion to its length at most.

export function isBlank(line: string): boolean {
  return line.trim() === "";
}

/** The columns of white space before a line's text; a tab counts as four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns += 1;
    else if (character === "\t") columns += 4;
    else break;
  }
  return columns;
}

/** Takes away at most so many columns of white space. */
export function outdent(line: string, columns: number): string {
  let left = columns;
  let at = 0;
  while (left > 0 && (line[at] === " " || line[at] === "\t")) {
    left -= line[at] === "\t" ? 4 : 1;
    at += 1;
  }
  return " ".repeat(Math.max(0, -left)) + line.slice(at);
}

export function isRule(line: string): boolean {
  const mark = /^ {0,3}([-*_])/.exec(line)?.[1];
  if (mark === undefined) return false;
  let marks = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === mark) marks += 1;
    else if (line[at] !== " " && line[at] !== "\t") return false;
  }
  return marks >= 3;
}

/** The level of a heading, and where its text begins. */
export function headingOf(line: string): { readonly level: number; readonly text: string } | undefined {
  const opening = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (!opening) return undefined;
  return { level: (opening[1] ?? "").length, text: withoutClosing(line.slice(opening[0].length).trim()) };
}

/** A heading may end with as many marks as one likes, after a space. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  return end === text.length || !/^$|[ \t]/.test(text[end - 1] ?? "") ? text : text.slice(0, end).trimEnd();
}

export interface Fence {
  readonly mark: string;
  readonly indent: number;
  /** The language, and whatever else its author says of the code. */
  readonly language: string;
}

export function fenceOf(line: string): Fence | undefined {
  const opening = /^( {0,3})(`{3,}|~{3,})/.exec(line);
  if (!opening) return undefined;
  const [all, indent = "", mark = ""] = opening;
  const info = line.slice(all.length).trim();
  if (mark.startsWith("`") && info.includes("`")) return undefined;
  return { mark, indent: indent.length, language: info };
}

export function closesFence({ mark }: Fence, line: string): boolean {
  const text = line.trim();
  return indentOf(line) < 4 && text.startsWith(mark) && text === mark.charAt(0).repeat(text.length);
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

export interface Marker {
  /** A bullet, or what follows the number: another one begins another list. */
  readonly sort: string;
  /** Null for a bullet. */
  readonly number: number | null;
  /** The column at which the item's text begins. */
  readonly content: number;
  readonly rest: string;
}

export function markerOf(line: string): Marker | undefined {
  const found = /^( {0,3})([-+*]|(\d{1,9})[.)])(?:([ \t]+)|$)/.exec(line);
  if (!found) return undefined;
  const [, indent = "", mark = "", digits, spaces = ""] = found;
  const after = spaces.length >= 1 && spaces.length <= 4 ? spaces.length : 1;
  const content = indent.length + mark.length + after;
  const rest = line.slice(content);
  return {
    sort: mark.slice(-1),
    number: digits === undefined ? null : Number(digits),
    content: isBlank(rest) ? indent.length + mark.length + 1 : content,
    rest,
  };
}

/** Whether a line ends the paragraph before it. A list does only where that is surely meant. */
export function interrupts(line: string): boolean {
  const marker = markerOf(line);
  return (
    isRule(line) ||
    headingOf(line) !== undefined ||
    fenceOf(line) !== undefined ||
    isQuote(line) ||
    (marker !== undefined && !isBlank(marker.rest) && (marker.number === null || marker.number === 1))
  );
}
