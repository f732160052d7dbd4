// The origins whose pages may offer tools. Owns the file `origins.json`: {"origins":["https://shop.example"]}.
import type { Stats } from "node:fs";
import { join } from "node:path";
import { isExtensionOrigin, isJsonObject, pairInstead, parseJsonObject, parseUrl } from "../wire/index.ts";
import { createCachedFile, edited } from "./cached-file.ts";
import { requireOwn } from "./require-own.ts";
import { stateError } from "./state-error.ts";
import { withLock } from "./process-lock.ts";
import { replaceFile } from "./write-file.ts";

/** A page was turned away. */
export interface RefusedOrigin {
  readonly origin: string;
  /** When it last happened, as ISO time. */
  readonly time: string;
}

interface RefusalsFile {
  read(): readonly RefusedOrigin[];
  note(origin: string): void;
}

const maxOrigins = 20;
/** A page that is refused tries again and again: it is written down this often. */
const quietTime = 60_000;

/** Owns `refused.json`: origins whose pages were refused recently, to explain why a page does not appear. */
export function createRefusalsFile(directory: string): RefusalsFile {
  const path = join(directory, "refused.json");
  const file = createCachedFile(path, parseRefusals);
  const read = () => file.read() ?? [];

  return {
    read,
    note(text) {
      const origin = parseOrigin(text);
      if (origin === undefined) return;
      const others = read().filter((each) => each.origin !== origin);
      const last = read().find((each) => each.origin === origin);
      if (last !== undefined && Date.now() - Date.parse(last.time) < quietTime) return;
      const refused = [{ origin, time: new Date().toISOString() }, ...others].slice(0, maxOrigins);
      replaceFile(path, `${JSON.stringify({ refused }, null, 2)}\n`);
    },
  };
}

/** These are only notes for people: unreadable ones are left out. */
function parseRefusals(text: string): readonly RefusedOrigin[] {
  const refused = parseJsonObject(text, 3)?.["refused"];
  return Array.isArray(refused) ? refused.filter(isRefusal) : [];
}

function isRefusal(value: unknown): value is RefusedOrigin {
  if (!isJsonObject(value)) return false;
  const { origin, time } = value;
  return (
    typeof origin === "string" &&
    parseOrigin(origin) === origin &&
    typeof time === "string" &&
    !Number.isNaN(Date.parse(time))
  );
}

/** No host has characters that would do something in a shell, where origins are written and copied to. */
const form = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@\\:*%[\]$`'"();&|<>{}!^~]+)(:\d{1,5})?$/i;

/** Schemes whose pages have no such origin, though addresses of this form can be written. */
const withoutOrigins = ["file", "ws", "wss", "ftp"];

/**
 * Reads an origin, `scheme://host` or `scheme://host:port`, into the form that browsers send; undefined if it is none.
 */
export function parseOrigin(text: string): string | undefined {
  const [, scheme = "", host = "", port = ""] = form.exec(text) ?? [];
  if (host === "" || withoutOrigins.includes(scheme.toLowerCase()) || !parseUrl(text)) return undefined;
  const { origin } = new URL(text);
  // Browsers have origins for other schemes, such as those of extensions; the URL standard has none.
  return origin === "null" ? `${scheme}://${host}${port}`.toLowerCase() : origin;
}

/** Explains why a text is no origin, with the probable intention. */
export function originProblem(text: string): string {
  const start = `${JSON.stringify(text)} is not an origin.`;
  if (text === "null") return `${start} Pages without an origin of their own cannot be allowed: serve them over http.`;
  if (text.includes("*")) return `${start} Wildcards are not possible: allow each origin by itself.`;
  const meant = [text, `http://${text}`].map(originOf).find((origin) => origin !== undefined);
  const example = meant === undefined ? 'Write it like this: "https://shop.example".' : `Did you mean "${meant}"?`;
  return `${start} An origin is a scheme, a host and perhaps a port, without a path. ${example}`;
}

function originOf(text: string): string | undefined {
  const url = parseUrl(text);
  return url && parseOrigin(url.origin);
}

export interface OriginsFile {
  read(): readonly string[];
  add(origin: string): boolean;
  remove(origin: string): boolean;
  /** Changes several at once; what is no origin is left out. */
  edit(edit: (origins: Set<string>) => void): void;
  signature(): string;
}

const none: readonly string[] = [];

export function createOriginsFile(directory: string): OriginsFile {
  const path = join(directory, "origins.json");
  const parse = (text: string, stats: Stats) => {
    requireOwn({ what: "file", path, mode: "600" }, stats);
    return parseOrigins(path, text);
  };
  const file = createCachedFile(path, parse, edited);
  const read = () => file.read() ?? none;
  const write = (origins: readonly string[]) => replaceFile(path, `${JSON.stringify({ origins }, null, 2)}\n`);

  return {
    read,
    add(text) {
      const origin = requireOrigin(text);
      if (isExtensionOrigin(origin)) throw stateError(pairInstead);
      return withLock(path, () => {
        const origins = read();
        if (origins.includes(origin)) return false;
        write([...origins, origin]);
        return true;
      });
    },
    remove(text) {
      const origin = requireOrigin(text);
      return withLock(path, () => {
        const origins = read();
        if (!origins.includes(origin)) return false;
        write(origins.filter((each) => each !== origin));
        return true;
      });
    },
    edit(edit) {
      withLock(path, () => {
        const before = read();
        const origins = new Set(before);
        edit(origins);
        const after = [...origins].filter((origin) => parseOrigin(origin) === origin);
        if (after.join() !== before.join()) write(after);
      });
    },
    signature: file.signature,
  };
}

function requireOrigin(text: string): string {
  const origin = parseOrigin(text);
  if (origin === undefined) throw stateError(originProblem(text));
  return origin;
}

function parseOrigins(path: string, text: string): readonly string[] {
  const origins = originsIn(text);
  if (origins === undefined) {
    throw stateError(
      `The file ${path} does not hold {"origins":["https://shop.example"]}. Put it right, or delete it and allow each origin again with: npx pagewire allow`,
    );
  }
  return origins.map((each) => {
    const origin = parseOrigin(each);
    if (origin === undefined) throw stateError(`The file ${path} cannot be used: ${originProblem(each)}`);
    return origin;
  });
}

function originsIn(text: string): readonly string[] | undefined {
  const origins = parseJsonObject(text, 2)?.["origins"];
  return Array.isArray(origins) && origins.every((each) => typeof each === "string") ? origins : undefined;
}
