// What a sentence holds that could fill an argument: numbers, days, quoted text, addresses, names, and what follows a
// preposition. Each has its place, so that nothing is used twice.
import { findDays } from "./find-days.ts";
import type { DayFacts } from "./find-days.ts";
import { overlap } from "./span.ts";
import type { Found, Span } from "./span.ts";
import { isStopWord, stemOf, tokensOf } from "./words.ts";
import type { Token } from "./words.ts";

export interface FoundNumber extends Found<number> {
  /** The words beside it: `30 days`, `top 5`. */
  readonly unit: string;
  readonly before: string;
}

export interface Phrase extends Found<string> {
  readonly preposition: string;
}

export interface Reading extends DayFacts {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly quoted: readonly Found<string>[];
  readonly emails: readonly Found<string>[];
  readonly addresses: readonly Found<string>[];
  readonly numbers: readonly FoundNumber[];
  readonly names: readonly Found<string>[];
  readonly phrases: readonly Phrase[];
  /** What follows a colon, as in `Add a note: call Ada`. */
  readonly rest: readonly Found<string>[];
}

export function readSentence(text: string, today: string): Reading {
  const tokens = tokensOf(text);
  const quoted = found(text, /"([^"\n]+)"|“([^”\n]+)”|«([^»\n]+)»|`([^`\n]+)`|(?<![\p{L}\p{N}])'([^'\n]+)'(?!\p{L})/gu);
  const emails = found(text, /([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/g);
  const addresses = found(text, /(https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)])/g);
  const days = findDays(text, today);
  const taken = [...quoted, ...emails, ...addresses, ...days.days, ...days.times];
  const outside = <Item extends Span>(items: readonly Item[]): readonly Item[] =>
    items.filter((item) => !taken.some((other) => overlap(item, other)));
  return {
    text,
    tokens,
    quoted,
    emails,
    addresses,
    ...days,
    numbers: outside(findNumbers(text, tokens)),
    names: outside(findNames(text, tokens)),
    phrases: findPhrases(text),
    rest: found(text, /:\s+([^\n]*[^\s.!?])/g).slice(0, 1),
  };
}

function found(text: string, pattern: RegExp): readonly Found<string>[] {
  return [...text.matchAll(pattern)].map(({ 0: whole, index, ...groups }) => ({
    value: Object.values(groups).find((group) => typeof group === "string") ?? whole,
    start: index,
    end: index + whole.length,
  }));
}

const numberWords = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

function findNumbers(text: string, tokens: readonly Token[]): readonly FoundNumber[] {
  const digits = [
    ...text.matchAll(/(?<![\p{L}\p{N}.])-?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:\s?(k|m)(?!\p{L}))?(?![\p{L}\p{N}])/giu),
  ];
  const written = tokens.flatMap(({ text: word, start, end }) => {
    const value = numberWords.indexOf(word.toLowerCase());
    return value > 0 ? [{ value, start, end }] : [];
  });
  const all = digits.map(({ 0: whole, 3: scale, index }) => {
    const value =
      Number(whole.replace(/[,\s]|[km]$/gi, "")) * (scale ? ({ k: 1e3, m: 1e6 }[scale.toLowerCase()] ?? 1) : 1);
    return { value, start: index, end: index + whole.length };
  });
  const finite = [...all, ...written].filter(({ value }) => Number.isFinite(value));
  return finite.map((one) => {
    const next = tokens.find(({ start }) => start >= one.end);
    const before = tokens.findLast(({ end }) => end <= one.start);
    const isBeside = next !== undefined && /^[\s-]{0,2}$/.test(text.slice(one.end, next.start));
    return { ...one, unit: isBeside ? next.stem : "", before: before?.stem ?? "" };
  });
}

/** Words with a capital letter, other than the first of a sentence; several in a row are one name. */
function findNames(text: string, tokens: readonly Token[]): readonly Found<string>[] {
  const names: { value: string; start: number; end: number }[] = [];
  for (const token of tokens) {
    const { start, end } = token;
    if (!/^\p{Lu}/u.test(token.text) || token.text === "I") continue;
    const last = names.at(-1);
    if (last && /^[ -]$/.test(text.slice(last.end, start))) {
      last.end = end;
      last.value = text.slice(last.start, end);
      continue;
    }
    const isFirst = /(^|[.!?]\s*|\n)$/.test(text.slice(Math.max(0, start - 8), start).trimStart());
    if (!isFirst || !isStopWord(token.stem)) names.push({ value: token.text, start, end });
  }
  return names.filter(({ start, value }) => start > 0 || value.includes(" "));
}

const prepositions = "in at near for from to into about on with by of named called titled saying that";

/** `in Paris`, `for gift boxes`, `named Ada`: up to the next preposition, conjunction or mark. */
function findPhrases(text: string): readonly Phrase[] {
  const words = prepositions.split(" ").join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words})\\s+`, "giu");
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, 1: preposition = "", index }) => {
    const start = index + whole.length;
    const isSaying = /^(saying|that|about)$/i.test(preposition);
    const stop = isSaying
      ? /[,;!?\n]|\.(\s|$)/
      : new RegExp(
          `[,;:!?\\n]|\\.(\\s|$)|\\s(${words}|and|or|then|please|where|as)\\s|\\s(today|tomorrow|yesterday|now|last|next|this)(?![\\p{L}\\p{N}])`,
          "iu",
        );
    const length = stop.exec(text.slice(start))?.index ?? text.length - start;
    const value = text
      .slice(start, start + length)
      .replace(/^(?:the|a|an|my|our|all)\s+/i, "")
      .trim();
    const from = text.indexOf(value, start);
    return value === "" ? [] : [{ preposition: stemOf(preposition), value, start: from, end: from + value.length }];
  });
}
