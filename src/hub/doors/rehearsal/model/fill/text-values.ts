// Candidates for text: days, addresses, what is quoted, what follows a preposition that suits the slot's name.
import type { Found } from "../span.ts";
import { deedOf } from "../verbs.ts";
import { isStopWord, stemOf, stemsOf } from "../words.ts";
import { assignmentsOf, textAt } from "./assigned.ts";
import { takesDays } from "./plain-values.ts";
import { fits, isAbout, isNamed } from "./slot.ts";
import type { Candidate, Search } from "./slot.ts";

const stems = (words: string): ReadonlySet<string> => new Set(words.split(" ").map(stemOf));
const places = stems(
  "city location place country region town address area state venue where destination origin street",
);
const persons = stems("name customer user person recipient contact author owner assignee who client member employee");
const texts = stems(
  "text query search term keyword message content note body question prompt topic subject comment description title input expression phrase sentence reason summary item task product",
);
const beginnings = stems("from start since after begin origin checkin source");
const endings = stems("to end until before till destination checkout target");

export function textCandidates(search: Search): readonly Candidate[] {
  const { slot, reading, called } = search;
  const candidates: Candidate[] = takesDays(search) ? dayCandidates(search) : [];
  const add = (found: Found<string> | undefined, score: number): void => {
    if (found && score > 0) candidates.push({ value: found.value, score, spans: [found] });
  };
  for (const assignment of assignmentsOf(slot, reading)) {
    const text = textAt(assignment, reading);
    const isQuoted = reading.quoted.some(({ start }) => start === text?.start);
    const isWord = text !== undefined && !isStopWord(stemOf(text.value.split(/\s/, 1)[0] ?? ""));
    add(text, assignment.isPlain || isQuoted ? 10 : isWord ? 6 : 0);
  }
  const formats = new Set(slot.branches.map((branch) => branch["format"]));
  const isMail = formats.has("email") || isNamed(slot, stems("email mail recipient to contact"));
  const isAddress = formats.has("uri") || formats.has("url") || isNamed(slot, stems("url uri link href website"));
  for (const email of reading.emails) add(email, isMail ? 9 : slot.required ? 2 : 0);
  for (const address of reading.addresses) add(address, isAddress ? 9 : slot.required ? 2 : 0);
  for (const word of shapedWords(search)) add(word, 7);
  const isShaped = takesDays(search) || formats.has("email") || formats.has("uri") || formats.has("url");
  if (isShaped || candidates.some(({ score }) => score === 9)) return candidates;
  for (const quote of reading.quoted) add(quote, isNamed(slot, texts) ? 7.5 : slot.required ? 7 : 6);
  for (const { preposition, ...phrase } of reading.phrases)
    if (!stemsOf(phrase.value).every((stem) => called.has(stem)))
      add(phrase, suitOf(preposition, phrase.value, search));
  for (const name of reading.names) add(name, nameScore(search));
  if (isNamed(slot, texts)) for (const rest of reading.rest) add(rest, 7);
  if (isNamed(slot, texts) && slot.required) add(remainder(search), 1);
  return candidates;
}

function dayCandidates({ slot, reading }: Search): Candidate[] {
  const format = slot.branches.map((branch) => branch["format"]).find((one) => one !== undefined);
  const [time] = reading.times;
  if (format === "time" || (format === undefined && isNamed(slot, stems("time")) && reading.days.length === 0))
    return reading.times.map((one) => ({ value: format ? `${one.value}:00Z` : one.value, score: 8, spans: [one] }));
  const write = (day: string): string => (format === "date-time" ? `${day}T${time?.value ?? "00:00"}:00Z` : day);
  const isBeginning = isNamed(slot, beginnings);
  const isEnding = isNamed(slot, endings);
  // Both ends of a stretch come from the same words, so it is not used up.
  const ends = reading.stretches.flatMap(({ from, to }) => {
    const day = isBeginning ? from : isEnding ? to : undefined;
    return day === undefined ? [] : [{ value: write(day), score: 8, spans: [] }];
  });
  return [...ends, ...reading.days.map((one) => ({ value: write(one.value), score: 7, spans: [one] }))];
}

/** Words that fit where few do: numbers of orders, codes. */
function shapedWords(search: Search): readonly Found<string>[] {
  const { slot, reading } = search;
  const isShaped = slot.branches.some(
    ({ pattern, format }) => pattern !== undefined || (format !== undefined && !takesDays(search)),
  );
  const isCode = isNamed(slot, stems("id code number sku zip phone reference key"));
  if (!isShaped && !isCode) return [];
  const words = [...reading.text.slice(0, 1000).matchAll(/[^\s,;"'“”!?()]*[^\s,;"'“”!?().:]/g)].map(
    ({ 0: value, index }) => ({
      value,
      start: index,
      end: index + value.length,
    }),
  );
  const fitting = words.filter(({ value }) => (isShaped || /\d/.test(value)) && fits(value, search));
  return fitting.length <= Math.max(1, words.length / 3) ? fitting : [];
}

/** How well what follows a preposition suits a slot. */
function suitOf(preposition: string, value: string, { slot }: Search): number {
  if (!/\p{L}/u.test(value) || /^(last|past|next|this|previous)\s/i.test(value)) return 0;
  const is = (words: string): boolean => words.split(" ").some((word) => stemOf(word) === preposition);
  const direct = isNamed(slot, new Set([preposition]));
  if (direct) return 7;
  if (isNamed(slot, beginnings) && is("from")) return 7;
  if (isNamed(slot, endings) && is("to")) return 7;
  if (isNamed(slot, places)) return is("in at near") ? 6.5 : is("from to for of into") ? 5 : 0;
  if (isNamed(slot, persons))
    return is("named called") ? 6.5 : is("for by from to with of") && /^\p{Lu}/u.test(value) ? 6 : 0;
  if (isNamed(slot, texts))
    return is("saying that titled called named") ? 6.5 : is("about") ? 6 : is("for on with from by") ? 4.5 : 0;
  if (!slot.required) return 0;
  return is("into in to for of about") ? 3 : 0;
}

function nameScore({ slot }: Search): number {
  if (isNamed(slot, places) || isNamed(slot, persons)) return 4;
  if (isNamed(slot, texts) || isAbout(slot, places) || isAbout(slot, persons)) return slot.required ? 3 : 2;
  return slot.required ? 2 : 0;
}

/** Where things are added: `to my list`, `into the cart`. */
const container =
  /\s(?:to|into|on|in)\s+(?:my|our|the)\s+(?:[\p{L}-]+\s+)?(?:list|cart|basket|calendar|board|notes|todos)(?!\p{L}).*$/isu;

/** The sentence without the words that say what to do with it. */
function remainder({ reading, called }: Search): Found<string> | undefined {
  let isNamed = false;
  for (const { stem, start, end } of reading.tokens) {
    const isDeed = deedOf(stem) !== undefined;
    const isCalled = called.has(stem);
    const isCount = reading.numbers.some((number) => number.end === end);
    // `add a todo buy milk`: once the tool's noun is there, a deed is the user's own.
    isNamed ||= isCalled && !isDeed;
    if (isStopWord(stem) || isCalled || isCount || (isDeed && !isNamed)) continue;
    const value = reading.text
      .slice(start)
      .replace(/[\s.!?]+$/, "")
      .replace(container, "");
    return { value, start, end: start + value.length };
  }
  return undefined;
}
