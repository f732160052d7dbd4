// The text that git and its helpers exchange: lines of `name=value`, to a blank line or the end. A value is whatever
// stands between the first `=` and the line's end, blanks included.
import { PagewireError } from "../../wire/index.ts";

/** Attributes by name, as they stand in the text: those that end in [] have a list of values. */
export type Attributes = Readonly<Record<string, string | readonly string[]>>;

/**
 * Reads what git wrote. Of a `url` the parts are read. Throws where a value holds what one of the programs on the way
 * could take for the end of a line.
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
      // A value that is empty forgets those before it.
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

/** The parts of an address, as git takes them: decoded, the path without the slashes around it. */
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

/** Some programs take a carriage return for the end of a line too. */
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
