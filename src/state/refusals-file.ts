// Owns `refused.json`: origins whose pages were refused recently, to explain why a page does not appear.
import { join } from "node:path";
import { isJsonObject, parseJsonObject } from "../wire/index.ts";
import { parseOrigin } from "./origins-file.ts";
import { createCachedFile } from "./cached-file.ts";
import { replaceFile } from "./write-file.ts";

/** A page was turned away. */
export interface RefusedOrigin {
  readonly origin: string;
  /** When it last happened, as ISO time. */
  readonly time: string;
}

export interface RefusalsFile {
  read(): readonly RefusedOrigin[];
  note(origin: string): void;
}

const maxOrigins = 20;
/** A page that is refused tries again and again: it is written down this often. */
const quietTime = 60_000;

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
