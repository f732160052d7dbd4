// The text format that git and its helpers exchange: lines of `name=value`, up to a blank line or the end. A value is
// everything between the first `=` and the end of the line, including blanks.
import { PagewireError, defaultLimits, isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { Readable } from "node:stream";
import type { DelegateResult } from "../../hub-client/index.ts";

/** Fields that git owns: an answer for another host would have the password stored for that host. */
const ownedByGit = new Set(["protocol", "host", "path", "url", "wwwauth", "wwwauth[]"]);

/** The tab's answer as text for git; throws where it is no credential, or more than one. */
export function readReply({ structured, text }: Pick<DelegateResult, "structured" | "text">): string {
  const reply = isJsonObject(structured) ? structured : parseJsonObject(text, defaultLimits.jsonDepth);
  if (!reply || !isCredential(reply)) throw new PagewireError("output-invalid", "The tab's answer is no credential.");
  const attributes = Object.entries(reply).flatMap(([name, value]) => {
    const known = ownedByGit.has(name) || value === null ? undefined : valueOf(name, value);
    return known === undefined ? [] : [known];
  });
  return formatCredential(Object.fromEntries(attributes));
}

/** A password, its equivalents in newer versions of git, or the message that there is none. */
function isCredential({ password, credential, quit }: JsonObject): boolean {
  return typeof password === "string" || typeof credential === "string" || isYes(quit);
}

function isYes(value: Json | undefined): boolean {
  return value === true || value === 1 || value === "1" || value === "true";
}

function valueOf(name: string, value: Json): readonly [string, string | readonly string[]] {
  if (Array.isArray(value)) return [name.endsWith("[]") ? name : `${name}[]`, value.map((each) => scalar(name, each))];
  return [name, scalar(name, value)];
}

function scalar(name: string, value: Json): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new PagewireError("output-invalid", `The tab's answer has a ${name} that git could not read.`);
}

/** Git's own lines are shorter than 64 KiB, and few. */
const maxBytes = 256 * 1024;

/** Reads git's input: up to a blank line, which also ends it when a person types, or to the end. */
export async function readCredential(stdin: Readable): Promise<Attributes> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin as AsyncIterable<Buffer | string>) {
    const chunk = Buffer.from(part);
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new PagewireError("input-invalid", "What git says does not end.");
    if (hasEnded(Buffer.concat(parts))) break;
  }
  return parseCredential(textOf(Buffer.concat(parts)));
}

function hasEnded(bytes: Buffer): boolean {
  return bytes[0] === newline || bytes.includes("\n\n");
}

const newline = 0x0a;

/** Other bytes would reach the tab, and come back, as something else. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new PagewireError("input-invalid", "What git says is not UTF-8.", { cause: error });
  }
}

/** Attributes by name, unchanged; names that end in [] have a list of values. */
export type Attributes = Readonly<Record<string, string | readonly string[]>>;

/**
 * Parses git's text. A `url` is split into its parts. Throws if a value contains a character that a program on the way
 * could treat as the end of a line.
 */
export function parseCredential(text: string): Attributes {
  const attributes = new Map<string, string | readonly string[]>();
  for (const line of linesOf(text)) {
    const at = line.indexOf("=");
    if (at < 1) throw malformed("A line of what git says has no name, or no value.");
    const [name, value] = [line.slice(0, at), line.slice(at + 1)];
    if (!isOneLine(value)) throw malformed(`The ${short(name)} that git says ${smuggling}`);
    if (name === "url") {
      for (const part of urlParts) attributes.delete(part);
      for (const [part, found] of partsOf(value)) attributes.set(part, found);
    } else if (!name.endsWith("[]")) {
      attributes.set(name, value);
    } else {
      // An empty value clears the earlier ones.
      const before = [attributes.get(name) ?? []].flat();
      attributes.set(name, value === "" ? [] : [...before, value]);
    }
  }
  return Object.fromEntries(attributes);
}

/** Writes attributes for git. Throws where a name or a value could become a line of its own. */
export function formatCredential(attributes: Attributes): string {
  const lines = Object.entries(attributes).flatMap(([name, value]) => {
    if (!namePattern.test(name)) throw unusable(`"${short(name)}" is no name of something that git knows.`);
    const values = typeof value === "string" ? [value] : value;
    if (!values.every(isOneLine)) throw unusable(`The ${name} that the tab answered ${smuggling}`);
    return values.map((each) => `${name}=${each}\n`);
  });
  return lines.join("");
}

const namePattern = /^[A-Za-z0-9_-]+(\[\])?$/;
const urlParts = ["protocol", "host", "path", "username", "password"] as const;

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  const end = lines.indexOf("");
  return end === -1 ? lines : lines.slice(0, end);
}

/** The parts of an address in git's form: decoded, the path without its outer slashes. */
function partsOf(url: string): readonly (readonly [string, string])[] {
  const [, protocol, user, host = "", path = ""] =
    /^([^:/?#]+):\/\/(?:([^/?#]*)@)?([^/?#]*)\/*(.*?)\/*$/.exec(url) ?? [];
  if (protocol === undefined) throw malformed("The url that git says is none.");
  const [, username, password] = /^([^:]*)(?::(.*))?$/.exec(user ?? "") ?? [];
  const parts = { protocol, host, path: path || undefined, username: user && username, password };
  return Object.entries(parts).flatMap(([name, part]) => {
    if (part === undefined) return [];
    const value = decode(part);
    if (!isOneLine(value)) throw malformed(`The ${name} of the url that git says ${smuggling}`);
    return [[name, value] as const];
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed("The url that git says is none.");
  }
}

const smuggling = "holds a line break or a NUL, which could smuggle in another host.";

/** Some programs also treat a carriage return as the end of a line. */
function isOneLine(value: string): boolean {
  return !/[\n\r\0]/.test(value);
}

function short(name: string): string {
  return name.slice(0, 40);
}

function malformed(message: string): PagewireError {
  return new PagewireError("input-invalid", message);
}

function unusable(message: string): PagewireError {
  return new PagewireError("output-invalid", message);
}

/** Masks the secrets in one argument: user info in URLs, and authorization headers. */
export function maskWord(word: string): string {
  return word
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, "$1***@")
    .replaceAll(/((?:authorization|cookie|token|password|secret)[\w-]*\s*[:=]\s*)\S.*/gi, "$1***");
}

/** Masks each argument, and the whole argument after an option that names a secret. */
export function maskWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (secretOption.test(words[at - 1] ?? "") ? "***" : maskWord(word)));
}

const secretOption = /^--?[\w-]*(token|password|passwd|secret|key)$/i;

/** Attributes that are safe to show. */
const harmless =
  /^(operation|protocol|host|path|username|command|repository|quit|password_expiry_utc|capability\[\]|wwwauth\[\])$/;

/** Attributes for a log: everything that is not known to be harmless is masked. */
export function maskAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, harmless.test(name) ? value : "***"]),
  );
}
