// The servers in a client's configuration: each under its name, in one section of a JSON or TOML file.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { ConfigSyntaxError } from "./config-syntax-error.ts";
import { tomlTable } from "./toml.ts";

/** Reads and edits one kind of file. Rejects with a ConfigSyntaxError where a text cannot be read. */
export interface ConfigFormat {
  /** The whole file as one object. */
  parse(text: string): Promise<JsonObject>;
  /** The servers that the file names. */
  servers(text: string): Promise<Readonly<Record<string, JsonObject>>>;
  /** The text with this server added. Its user's fields of the entry, such as limits, stay as they are. */
  withServer(text: string, name: string, entry: JsonObject): Promise<string>;
  /** A file that holds this server and nothing else. */
  snippet(name: string, entry: JsonObject): string;
}

/** A JSON file, possibly with comments and trailing commas, with the servers in this property. */
export function jsonFormat(section: string): ConfigFormat {
  return checked(
    section,
    async () => {
      const { parseJsonc, setInJsonc } = await import("./jsonc.ts");
      return {
        parse: (text) => objectOf(text.trim() === "" ? {} : parseJsonc(text)),
        set: (text, name, { whole }) => setInJsonc(text, [section, name], whole),
      };
    },
    (name, entry) => JSON.stringify({ [section]: { [name]: entry } }, null, 2),
  );
}

/** A TOML file, with each server in a table of its own below this one. */
export function tomlFormat(section: string): ConfigFormat {
  return checked(
    section,
    async () => {
      const { parseToml, setInToml } = await import("./toml.ts");
      return {
        parse: parseToml,
        set: (text, name, { written }) => setInToml(text, { path: [section, name], fields: written, owns: isOwnField }),
      };
    },
    (name, entry) => tomlTable([section, name], entry).trimEnd(),
  );
}

/** Whether an entry connects to the same server in the same way, and lacks no field. */
export function isSameServer(entry: JsonObject | undefined, wanted: JsonObject): boolean {
  if (entry === undefined || !isDeepStrictEqual(ownFields(entry), ownFields(wanted))) return false;
  return Object.keys(wanted).every((field) => Object.hasOwn(entry, field));
}

/** The fields of all clients that decide how a server is reached. The rest of an entry is its user's. */
const reaching = new Set([
  ...[
    "type",
    "command",
    "args",
    "env",
    "envFile",
    "env_vars",
    "environment",
    "cwd",
    "url",
    "httpUrl",
    "serverUrl",
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

interface Editor {
  parse(text: string): JsonObject;
  /** `written` are the fields of the whole entry that are not its user's. */
  set(text: string, name: string, entry: { readonly whole: JsonObject; readonly written: JsonObject }): string;
}

/** The parsers are loaded at the first use: most commands never read a configuration. */
function checked(section: string, load: () => Promise<Editor>, snippet: ConfigFormat["snippet"]): ConfigFormat {
  function serversOf(file: JsonObject): Readonly<Record<string, JsonObject>> {
    const { [section]: found = {} } = file;
    if (!isJsonObject(found)) throw new ConfigSyntaxError(`"${section}" should hold the servers by their names`);
    return Object.fromEntries(
      Object.entries(found).flatMap(([name, each]) => (isJsonObject(each) ? [[name, each]] : [])),
    );
  }

  return {
    parse: async (text) => (await load()).parse(text),
    servers: async (text) => serversOf((await load()).parse(text)),
    snippet,
    async withServer(text, name, entry) {
      const editor = await load();
      const before = editor.parse(text);
      const old = serversOf(before)[name] ?? {};
      const kept = Object.fromEntries(Object.entries(old).filter(([field]) => !isOwnField(field)));
      const written = Object.fromEntries(Object.entries(entry).filter(([field]) => !Object.hasOwn(kept, field)));
      const merged = { ...entry, ...kept };
      const after = editor.set(text, name, { whole: merged, written });
      const wanted = { ...before, [section]: { ...objectOf(before[section] ?? {}), [name]: merged } };
      // The edit works on text, so it counts only if the file then means the same but for this server.
      if (!isDeepStrictEqual(parsed(editor, after), wanted)) {
        throw new ConfigSyntaxError("it writes its servers in an unusual way");
      }
      return after;
    },
  };
}

function parsed({ parse }: Editor, text: string): JsonObject | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new ConfigSyntaxError("it should hold an object in braces");
}
