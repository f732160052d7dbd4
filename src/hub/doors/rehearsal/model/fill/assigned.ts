// Values that a sentence gives by name: `days: 30`, `limit=5`, `the city is Paris`, `text "call Ada"`.
import type { Reading } from "../read-sentence.ts";
import { overlap } from "../span.ts";
import type { Span } from "../span.ts";
import { placesOf } from "../words.ts";
import type { Slot } from "./slot.ts";

/** Where the value of a slot begins that is given by name. */
export interface Assignment {
  readonly start: number;
  /** `:` or `=` stands between. */
  readonly isPlain: boolean;
}

const helpers = new Set(["is", "has", "includ", "enabl", "with", "should", "us", "the"]);
const suffixes = new Set(["id", "name", "text", "date", "number", "valu", "code", "by"]);

/** The ways in which a slot may be called in a sentence. */
function namesOf({ name, path }: Slot): readonly (readonly string[])[] {
  const bare = name.filter((stem, at) => at > 0 || !helpers.has(stem));
  const short = bare.length > 1 && suffixes.has(bare.at(-1) ?? "") ? bare.slice(0, -1) : [];
  const joined = String(path.at(-1) ?? "").toLowerCase();
  return [name, bare, short, [joined]].filter((stems) => stems.length > 0);
}

export function namePlaces(slot: Slot, { tokens }: Reading): readonly Span[] {
  const spans: Span[] = [];
  for (const stems of namesOf(slot)) {
    for (const at of placesOf(stems, tokens)) {
      const span = { start: tokens[at]?.start ?? 0, end: tokens[at + stems.length - 1]?.end ?? 0 };
      if (!spans.some((other) => overlap(span, other))) spans.push(span);
    }
  }
  return spans;
}

export function assignmentsOf(slot: Slot, reading: Reading): readonly Assignment[] {
  return namePlaces(slot, reading).map(({ end }) => {
    const between = /^["'`]?\s*(?:([:=])\s*|(?:is|are|of|to|as|at)\s+)?/i.exec(reading.text.slice(end));
    return { start: end + (between?.[0].length ?? 0), isPlain: between?.[1] !== undefined };
  });
}

/** The text that begins there, up to the next mark or, where no `:` or `=` is there, the next small word. */
export function textAt(
  { start, isPlain }: Assignment,
  { text, quoted }: Reading,
): (Span & { value: string }) | undefined {
  const quote = quoted.find((one) => one.start === start);
  if (quote) return quote;
  const stop = isPlain
    ? /[,;\n]|[.!?]?\s*$|[.!?]\s/
    : /[,;:=!?\n]|\.?\s*$|\.\s|\s(?:and|or|then|in|at|for|from|to|into|about|on|with|by|of|please|where|that)\s/i;
  const rest = text.slice(start);
  const value = rest.slice(0, stop.exec(rest)?.index ?? rest.length).trim();
  return value === "" ? undefined : { value, start, end: start + value.length };
}
