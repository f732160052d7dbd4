// How a client writes down its servers: each under its name, in one section of a JSON or TOML file.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { setInJsonc } from "./edit-jsonc.ts";
import { setInToml, tomlTable } from "./edit-toml.ts";
import { parseJsonc } from "./parse-jsonc.ts";
import { parseToml, tomlObject } from "./parse-toml.ts";
import { ConfigSyntaxError } from "./scanner.ts";

/** Reads and changes the texts of one kind of file. Throws a ConfigSyntaxError where a text cannot be read. */
export interface ConfigFormat {
  /** What the file says, as one object. */
  parse(text: string): JsonObject;
  /** The servers that the file names. */
  servers(text: string): Readonly<Record<string, JsonObject>>;
  /** The text with this server in it. What else its entry says, such as limits, stays. */
  withServer(text: string, name: string, entry: JsonObject): string;
  /** A file that holds this server and nothing else. */
  snippet(name: string, entry: JsonObject): string;
}

/** A JSON file, which may have comments and trailing commas, with the servers in a member of this name. */
export function jsonFormat(section: string): ConfigFormat {
  return checked(section, {
    parse: (text) => objectOf(text.trim() === "" ? {} : parseJsonc(text).value),
    set: (text, name, entry) => setInJsonc(text, [section, name], entry),
    snippet: (name, entry) => JSON.stringify({ [section]: { [name]: entry } }, null, 2),
  });
}

/** A TOML file, with each server in a table of its own below this one. */
export function tomlFormat(section: string): ConfigFormat {
  return checked(section, {
    parse: (text) => tomlObject(parseToml(text)),
    set: (text, name, entry) => setInToml(text, { path: [section, name], fields: ownFields(entry), owns: isOwnField }),
    snippet: (name, entry) => tomlTable([section, name], entry).trimEnd(),
  });
}

/** Whether a server's entry says already what this one says. */
export function isSameServer(entry: JsonObject | undefined, wanted: JsonObject): boolean {
  return entry !== undefined && isDeepStrictEqual(ownFields(entry), ownFields(wanted));
}

/** The fields that say how a server is reached, in all clients. Everything else in an entry is its user's. */
const reaching = new Set([
  ...[
    "type",
    "command",
    "args",
    "env",
    "envFile",
    "env_vars",
    "cwd",
    "url",
    "headers",
    "headersHelper",
    "auth",
    "oauth",
  ],
  ...["bearer_token_env_var", "http_headers", "env_http_headers", "http_headers_helper", "experimental_environment"],
]);

function isOwnField(name: string): boolean {
  return reaching.has(name);
}

function ownFields(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => isOwnField(name)));
}

interface Editor extends Pick<ConfigFormat, "parse" | "snippet"> {
  set(text: string, name: string, entry: JsonObject): string;
}

function checked(section: string, { parse, set, snippet }: Editor): ConfigFormat {
  function servers(text: string): Readonly<Record<string, JsonObject>> {
    const found = objectOf(parse(text))[section];
    if (found === undefined) return {};
    if (!isJsonObject(found)) throw new ConfigSyntaxError(`"${section}" should hold the servers by their names`);
    return Object.fromEntries(
      Object.entries(found).flatMap(([name, each]) => (isJsonObject(each) ? [[name, each]] : [])),
    );
  }

  return {
    parse,
    servers,
    snippet,
    withServer(text, name, entry) {
      const before = parse(text);
      const old = servers(text)[name] ?? {};
      const others = Object.entries(old).filter(([field]) => !isOwnField(field));
      const merged = { ...entry, ...Object.fromEntries(others) };
      const after = set(text, name, merged);
      const wanted = { ...before, [section]: { ...objectOf(before[section] ?? {}), [name]: merged } };
      // Whatever a file looks like: it is not written before it is known to say the same but for this server.
      if (!isDeepStrictEqual(parse(after), wanted)) throw new ConfigSyntaxError("it is written in an unusual way");
      return after;
    },
  };
}

function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new ConfigSyntaxError("it should hold an object in braces");
}
