// JSON as editors write it: with comments and trailing commas. Every value knows where it stands in the text.
import type { Json, JsonObject } from "../../../wire/index.ts";
import { createScanner } from "./scanner.ts";
import type { Scanner } from "./scanner.ts";

/** A value and its place in the text. */
export interface JsoncNode {
  readonly start: number;
  readonly end: number;
  readonly value: Json;
  /** What an object holds, in the order of the text. */
  readonly members?: readonly JsoncMember[];
  /** The end of the comma after the last member, where there is one. */
  readonly trailingComma?: number;
}

export interface JsoncMember {
  readonly name: string;
  readonly start: number;
  readonly node: JsoncNode;
}

/** Deeper than any configuration; what nests deeper would exhaust the stack. */
const DEEPEST = 200;
const trivia = /\s*(?:(?:\/\/[^\n]*|\/\*[^]*?\*\/)\s*)*/y;
const string = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y;
const scalar = /(?:-?\d[\d.eE+-]*|true|false|null)(?![\w.+-])/y;

/** Reads JSON with comments. Throws a ConfigSyntaxError that says where it is none. */
export function parseJsonc(text: string): JsoncNode {
  const scanner = createScanner(text);
  scanner.take(trivia);
  const node = readValue(scanner, 0);
  scanner.take(trivia);
  if (scanner.at < text.length) scanner.fail("the file should end here");
  return node;
}

function readValue(scanner: Scanner, depth: number): JsoncNode {
  if (depth > DEEPEST) scanner.fail(`values nest deeper than ${DEEPEST}`);
  const start = scanner.at;
  if (scanner.skip("{")) return readObject(scanner, start, depth);
  if (scanner.skip("[")) return readArray(scanner, start, depth);
  const value = takeString(scanner) ?? readScalar(scanner);
  return { start, end: scanner.at, value };
}

function readObject(scanner: Scanner, start: number, depth: number): JsoncNode {
  const members: JsoncMember[] = [];
  let trailingComma: number | undefined;
  for (;;) {
    scanner.take(trivia);
    if (scanner.skip("}")) break;
    if (members.length > 0 && trailingComma === undefined) scanner.fail("a comma or } is missing");
    const at = scanner.at;
    const name = takeString(scanner) ?? scanner.fail("a name in double quotes or } is missing");
    scanner.take(trivia);
    if (!scanner.skip(":")) scanner.fail("a colon is missing");
    scanner.take(trivia);
    members.push({ name, start: at, node: readValue(scanner, depth + 1) });
    scanner.take(trivia);
    trailingComma = scanner.skip(",") ? scanner.at : undefined;
  }
  const value: JsonObject = Object.fromEntries(members.map(({ name, node }) => [name, node.value]));
  return { start, end: scanner.at, value, members, ...(trailingComma === undefined ? {} : { trailingComma }) };
}

function readArray(scanner: Scanner, start: number, depth: number): JsoncNode {
  const values: Json[] = [];
  let isSeparated = true;
  for (;;) {
    scanner.take(trivia);
    if (scanner.skip("]")) return { start, end: scanner.at, value: values };
    if (!isSeparated) scanner.fail("a comma or ] is missing");
    values.push(readValue(scanner, depth + 1).value);
    scanner.take(trivia);
    isSeparated = scanner.skip(",");
  }
}

function takeString(scanner: Scanner): string | undefined {
  const token = scanner.take(string);
  return token === undefined ? undefined : (parseToken(scanner, token) as string);
}

function readScalar(scanner: Scanner): Json {
  return parseToken(scanner, scanner.take(scalar) ?? scanner.fail("a value is missing"));
}

function parseToken(scanner: Scanner, token: string): Json {
  try {
    return JSON.parse(token) as Json;
  } catch {
    return scanner.fail(`${token} is no JSON`);
  }
}
