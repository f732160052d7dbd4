// JSON with comments and trailing commas. A module of its own, so that its parser is loaded only when a file is read.
import { getNodeValue, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import type { Json, JsonObject } from "../../../wire/index.ts";
import { ConfigSyntaxError } from "./config-syntax-error.ts";

const byteOrderMark = "\u{feff}";

/** Reads JSON with comments. Throws a ConfigSyntaxError with the place of the first mistake. */
export function parseJsonc(text: string): Json {
  // The parser's objects have no prototype; JSON.parse also treats a name such as __proto__ as an ordinary one.
  return JSON.parse(JSON.stringify(getNodeValue(treeOf(text)))) as Json;
}

/** Adds `{ [section]: { [name]: value } }` to the text. Keeps every other byte; an empty text becomes a new file. */
export function setInJsonc(text: string, [section, name]: readonly [string, string], value: JsonObject): string {
  const style = styleOf(text);
  if (text.trim() === "") return `${pretty({ [section]: { [name]: value } }, "", style)}${style.newline}`;
  const root = treeOf(text);
  const servers = memberOf(root, section, "the file");
  if (servers === undefined) return insert(text, root, { name: section, value: { [name]: value } });
  const entry = memberOf(servers.value, name, `"${section}"`);
  if (entry === undefined) return insert(text, servers.value, { name, value });
  const { offset, length } = entry.value;
  return text.slice(0, offset) + pretty(value, indentAt(text, entry.offset), style) + text.slice(offset + length);
}

function treeOf(text: string): Node {
  const errors: ParseError[] = [];
  // A space instead of the byte order mark keeps every offset.
  const root = parse(text.startsWith(byteOrderMark) ? ` ${text.slice(1)}` : text, errors);
  const [error] = errors;
  if (error === undefined && root !== undefined) return root;
  const before = text.slice(0, error?.offset ?? 0);
  const line = before.split("\n").length;
  const column = before.length - before.lastIndexOf("\n");
  throw new ConfigSyntaxError(`line ${line}, column ${column}: ${error ? describe(error) : "a value expected"}`);
}

function parse(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigSyntaxError("line 1, column 1: values nest too deeply");
    throw error;
  }
}

/** `CommaExpected` as "comma expected". */
function describe({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])[A-Z]/g, " $&")
    .toLowerCase();
}

interface Member {
  readonly offset: number;
  readonly value: Node;
}

/** The one member of this name. Readers disagree about an object that has it twice. */
function memberOf({ type, children = [] }: Node, name: string, where: string): Member | undefined {
  if (type !== "object") throw new ConfigSyntaxError(`${where} should hold an object in braces`);
  const [found, another] = children.filter(({ children: [key] = [] }) => key?.value === name);
  if (another !== undefined) throw new ConfigSyntaxError(`${where} has "${name}" twice`);
  const value = found?.children?.[1];
  return found && value && { offset: found.offset, value };
}

interface NewMember {
  readonly name: string;
  readonly value: JsonObject;
}

function insert(text: string, object: Node, { name, value }: NewMember): string {
  const style = styleOf(text);
  const last = object.children?.at(-1);
  const outer = indentAt(text, object.offset);
  const end = object.offset + object.length;
  if (last === undefined) {
    const before = text.slice(0, end - 1).trimEnd();
    const member = `${style.newline}${outer}${style.unit}"${name}": ${pretty(value, outer + style.unit, style)}`;
    return `${before}${member}${style.newline}${outer}${text.slice(end - 1)}`;
  }
  const isOneLine = !text.slice(object.offset, last.offset).includes("\n");
  const indent = indentAt(text, last.offset);
  const member = isOneLine
    ? ` "${name}": ${JSON.stringify(value)}`
    : `${style.newline}${indent}"${name}": ${pretty(value, indent, style)}`;
  const lastEnd = last.offset + last.length;
  const comma = trailingComma(text, lastEnd);
  const place = isOneLine ? (comma ?? lastEnd) : endOfLine(text, comma ?? lastEnd);
  const [before, after] = comma === undefined ? [",", ""] : ["", ","];
  return `${text.slice(0, lastEnd)}${before}${text.slice(lastEnd, place)}${member}${after}${text.slice(place)}`;
}

/** The end of the comma that follows the last member, if there is one. */
function trailingComma(text: string, from: number): number | undefined {
  const pattern = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*,/y;
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The end of the comments that start on the same line: they belong to the value before them. */
function endOfLine(text: string, from: number): number {
  const pattern = /(?:[^\S\r\n]*\/\*[^\n]*?\*\/)*(?:[^\S\r\n]*(?:\/\/[^\r\n]*|\/\*[^]*?\*\/))?/y;
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

interface Style {
  readonly newline: string;
  readonly unit: string;
}

function styleOf(text: string): Style {
  const unit = /\n([^\S\n]+)"/.exec(text)?.[1] ?? "  ";
  return { newline: text.includes("\r\n") ? "\r\n" : "\n", unit };
}

/** The indentation of the line that this offset is on. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[^\S\n]*/.exec(line)?.[0].replace(byteOrderMark, "") ?? "";
}

function pretty(value: JsonObject, indent: string, { newline, unit }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", newline + indent);
}
