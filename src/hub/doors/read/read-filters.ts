// The filters in the query of a request. A filter that is misspelled must not show everything.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../../wire/index.ts";

export type Filters<Name extends string> = { readonly [Each in Name]?: string };

const maxText = 1024;

/** Refuses a filter that is unknown, repeated, empty or too long. */
export function readFilters<Name extends string>(request: IncomingMessage, names: readonly Name[]): Filters<Name> {
  const { url = "" } = request;
  const at = url.indexOf("?");
  const found: { [Each in Name]?: string } = {};
  if (at < 0) return found;
  for (const [word, value] of new URLSearchParams(url.slice(at))) {
    const name = names.find((each) => each === word);
    if (name === undefined) throw refused(word, `is unknown here. There are: ${names.join(", ") || "none"}.`);
    if (found[name] !== undefined) throw refused(name, "is given twice.");
    if (value === "") throw refused(name, "is empty: leave it out.");
    if (value.length > maxText) throw refused(name, `is longer than ${maxText} characters.`);
    found[name] = value;
  }
  return found;
}

/** The `limit` among the filters. */
export function readLimit({ limit }: Filters<"limit">, most: number): number {
  return readNumber("limit", limit, most) ?? Math.min(100, most);
}

/** A whole number among the filters. */
export function readNumber(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw refused(name, `must be a whole number from 1 to ${most}.`);
}

const timeForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** A point in time among the filters, as ISO text. */
export function readTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const at = timeForm.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw refused(name, "must be a time such as 2026-01-31T12:00Z.");
  return new Date(at).toISOString();
}

export function refused(name: string, problem: string): PagewireError {
  return new PagewireError("request-malformed", `The filter ${JSON.stringify(name.slice(0, 64))} ${problem}`);
}
