// Puts one member into JSON with comments. Every byte that is not about this member stays as it is.
import type { JsonObject } from "../../../wire/index.ts";
import { parseJsonc } from "./parse-jsonc.ts";
import type { JsoncMember, JsoncNode } from "./parse-jsonc.ts";
import { ConfigSyntaxError, createScanner } from "./scanner.ts";

/** The text with `{ [section]: { [name]: value } }` in it; an empty text becomes a new file. */
export function setInJsonc(text: string, [section, name]: readonly [string, string], value: JsonObject): string {
  const style = styleOf(text);
  if (text.trim() === "") return `${pretty({ [section]: { [name]: value } }, "", style)}${style.newline}`;
  const root = parseJsonc(text);
  const servers = memberOf(root, section, "the file");
  if (servers === undefined) return insert(text, root, { name: section, value: { [name]: value } });
  const entry = memberOf(servers.node, name, `"${section}"`);
  if (entry === undefined) return insert(text, servers.node, { name, value });
  const { start, end } = entry.node;
  return text.slice(0, start) + pretty(value, indentAt(text, entry.start), style) + text.slice(end);
}

/** The one member of this name. An object that has it twice means different things to different readers. */
function memberOf({ members }: JsoncNode, name: string, where: string): JsoncMember | undefined {
  if (members === undefined) throw new ConfigSyntaxError(`${where} should hold an object in braces`);
  const found = members.filter((member) => member.name === name);
  if (found.length > 1) throw new ConfigSyntaxError(`${where} has "${name}" twice`);
  return found[0];
}

interface NewMember {
  readonly name: string;
  readonly value: JsonObject;
}

function insert(text: string, object: JsoncNode, { name, value }: NewMember): string {
  const style = styleOf(text);
  const last = object.members?.at(-1);
  const outer = indentAt(text, object.start);
  if (last === undefined) {
    const inner = text.slice(object.start + 1, object.end - 1);
    const member = `${style.newline}${outer}${style.unit}"${name}": ${pretty(value, outer + style.unit, style)}`;
    const before = text.slice(0, object.start + 1) + inner.trimEnd();
    return `${before}${member}${style.newline}${outer}${text.slice(object.end - 1)}`;
  }
  const isOneLine = !text.slice(object.start, last.start).includes("\n");
  const indent = indentAt(text, last.start);
  const member = isOneLine
    ? ` "${name}": ${JSON.stringify(value)}`
    : `${style.newline}${indent}"${name}": ${pretty(value, indent, style)}`;
  const { trailingComma } = object;
  const anchor = trailingComma ?? last.node.end;
  const end = isOneLine ? anchor : endOfLine(text, anchor);
  const comma = trailingComma === undefined ? "," : "";
  const own = trailingComma === undefined ? "" : ",";
  return `${text.slice(0, last.node.end)}${comma}${text.slice(last.node.end, end)}${member}${own}${text.slice(end)}`;
}

/** The end of what stands on the same line behind a member: spaces and comments belong to it. */
function endOfLine(text: string, from: number): number {
  const scanner = createScanner(text.slice(from));
  let end = 0;
  while (scanner.take(/[^\S\r\n]*(?:\/\/[^\r\n]*|\/\*[^]*?\*\/)/y) !== undefined) {
    end = scanner.at;
    if (text.slice(from, from + end).includes("\n")) break;
  }
  return from + end;
}

interface Style {
  readonly newline: string;
  readonly unit: string;
}

function styleOf(text: string): Style {
  const unit = /\n([^\S\n]+)"/.exec(text)?.[1] ?? "  ";
  return { newline: text.includes("\r\n") ? "\r\n" : "\n", unit };
}

/** What the line of this place begins with. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[^\S\n]*/.exec(line)?.[0] ?? "";
}

function pretty(value: JsonObject, indent: string, { newline, unit }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", newline + indent);
}
