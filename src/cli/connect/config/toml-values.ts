import type { Json } from "../../../wire/index.ts";
import type { Scanner } from "./scanner.ts";

const DEEPEST = 200;
const multilineBasic = /"""(?:\r?\n)?((?:[^"\\]|\\[^]|"{1,2}(?!"))*)"""(?:"{0,2}(?!"))/y;
const basic = /"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"/y;
const multilineLiteral = /'''(?:\r?\n)?((?:[^']|'{1,2}(?!'))*)'''(?:'{0,2}(?!'))/y;
const literal = /'[^'\r\n]*'/y;
const number = /[+-]?(?:inf|nan|0x[\da-fA-F_]+|0o[0-7_]+|0b[01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)/y;
const moment =
  /(?:\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?)/y;

/** Takes spaces and tabs. */
export function takeSpace(scanner: Scanner): void {
  scanner.take(/[ \t]*/y);
}

/** Takes a key with its dots: `a."b c".d`, and the space behind it. */
export function takeTomlKey(scanner: Scanner): readonly string[] {
  const path: string[] = [];
  do {
    takeSpace(scanner);
    path.push(scanner.take(/[A-Za-z0-9_-]+/y) ?? takeQuoted(scanner) ?? scanner.fail("a name is missing"));
    takeSpace(scanner);
  } while (scanner.skip("."));
  return path;
}

/** Takes a value. Numbers and dates come as the text that they are written as. */
export function takeTomlValue(scanner: Scanner, depth = 0): Json {
  if (depth > DEEPEST) scanner.fail(`values nest deeper than ${DEEPEST}`);
  if (scanner.skip("[")) return takeArray(scanner, depth);
  if (scanner.skip("{")) return takeInlineTable(scanner, depth);
  const text = takeMultiline(scanner) ?? takeQuoted(scanner);
  if (text !== undefined) return text;
  if (scanner.take(/true\b/y) !== undefined) return true;
  if (scanner.take(/false\b/y) !== undefined) return false;
  return scanner.take(moment) ?? scanner.take(number) ?? scanner.fail("a value is missing");
}

function takeArray(scanner: Scanner, depth: number): Json {
  const values: Json[] = [];
  let isSeparated = true;
  for (;;) {
    takeTrivia(scanner);
    if (scanner.skip("]")) return values;
    if (!isSeparated) scanner.fail("a comma or ] is missing");
    values.push(takeTomlValue(scanner, depth + 1));
    takeTrivia(scanner);
    isSeparated = scanner.skip(",");
  }
}

function takeInlineTable(scanner: Scanner, depth: number): Json {
  const members: (readonly [string, Json])[] = [];
  let isSeparated = true;
  for (;;) {
    takeTrivia(scanner);
    if (scanner.skip("}")) return Object.fromEntries(members);
    if (!isSeparated) scanner.fail("a comma or } is missing");
    const path = takeTomlKey(scanner);
    if (!scanner.skip("=")) scanner.fail("an equals sign is missing");
    takeSpace(scanner);
    members.push([path.join("."), takeTomlValue(scanner, depth + 1)]);
    takeTrivia(scanner);
    isSeparated = scanner.skip(",");
  }
}

function takeTrivia(scanner: Scanner): void {
  scanner.take(/\s*(?:#[^\n]*\s*)*/y);
}

function takeMultiline(scanner: Scanner): string | undefined {
  const text = scanner.take(multilineBasic);
  if (text !== undefined) return unescape(scanner, text.slice(3, -3).replace(/^\r?\n/, ""));
  return scanner
    .take(multilineLiteral)
    ?.slice(3, -3)
    .replace(/^\r?\n/, "");
}

function takeQuoted(scanner: Scanner): string | undefined {
  const text = scanner.take(basic);
  if (text !== undefined) return unescape(scanner, text.slice(1, -1));
  return scanner.take(literal)?.slice(1, -1);
}

const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  e: "\u001b",
  '"': '"',
  "\\": "\\",
};

function unescape(scanner: Scanner, text: string): string {
  const pattern = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([^\S\n]*\r?\n\s*)|([^]))/g;
  return text.replaceAll(pattern, (whole, ...groups: readonly (string | undefined)[]) => {
    const [short, long, byte, lineEnd, letter = ""] = groups;
    const digits = short ?? long ?? byte;
    if (digits !== undefined) {
      const code = Number.parseInt(digits, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : scanner.fail(`${whole} is no character`);
    }
    if (lineEnd !== undefined) return "";
    return escapes[letter] ?? scanner.fail(`${whole} is no escape of TOML`);
  });
}
