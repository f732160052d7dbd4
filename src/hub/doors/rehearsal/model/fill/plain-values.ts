// Candidates for numbers, for true and false, and for values out of a list.
import type { Json } from "../../../../../wire/index.ts";
import { valuesOf } from "../schema/resolve-schema.ts";
import { unitDays } from "../find-days.ts";
import { deedOf } from "../verbs.ts";
import { isStopWord, placesOf, stemsOf, stemsOfName } from "../words.ts";
import { assignmentsOf, namePlaces } from "./assigned.ts";
import { isAbout, isNamed } from "./slot.ts";
import type { Candidate, Search } from "./slot.ts";

const countWords = new Set(["top", "first", "limit", "max", "most", "up", "only"]);
const limitNames = new Set(["limit", "count", "max", "maximum", "top", "size", "row", "result", "number", "amount"]);
/** `add two`: how many of it. */
const quantities = new Set(["quantity", "count", "amount", "number"]);

export function numberCandidates({ slot, reading }: Search): readonly Candidate[] {
  const assigned = assignmentsOf(slot, reading);
  const candidates: Candidate[] = reading.numbers.map(({ value, unit, before, start, end }) => {
    const isAssigned = assigned.some(
      (one) => one.start === start || (one.start < start && /^\D{0,2}$/.test(reading.text.slice(one.start, start))),
    );
    const scores = [
      isAssigned ? 10 : 0,
      slot.name.includes(unit) ? 9 : 0,
      slot.name.includes(before) ? 8 : 0,
      countWords.has(before) && isNamed(slot, limitNames) ? 7 : 0,
      unit !== "" && slot.about.has(unit) ? 6 : 0,
      deedOf(before) !== undefined && isNamed(slot, quantities) ? 5 : 0,
      slot.about.has(before) ? 5 : 0,
      slot.required ? 2 : 0,
    ];
    return { value, score: Math.max(...scores), spans: [{ start, end }] };
  });
  for (const { unit, count, start, end } of reading.stretches) {
    const spans = [{ start, end }];
    const named = Object.keys(unitDays).find((word): word is keyof typeof unitDays => isNamed(slot, new Set([word])));
    if (named) candidates.push({ value: Math.round((count * unitDays[unit]) / unitDays[named]), score: 8, spans });
  }
  return candidates.filter(({ score }) => score > 0);
}

const noes = /\b(no|not|without|don['’]?t|never|excluding|exclude|disable|off|skip)\s+(\S+\s+){0,2}$/i;

export function booleanCandidates({ slot, reading }: Search): readonly Candidate[] {
  return namePlaces(slot, reading).map(({ start, end }) => {
    const after = /^["'`]?\s*(?:[:=]|is|to)?\s*(true|yes|on|false|no|off)\b/i.exec(reading.text.slice(end));
    const said = after?.[1]?.toLowerCase();
    const isDenied = noes.test(reading.text.slice(0, start));
    const value = said === undefined ? !isDenied : ["true", "yes", "on"].includes(said);
    return { value, score: said === undefined ? 6 : 10, spans: [{ start, end: end + (after?.[0].length ?? 0) }] };
  });
}

const sorting = new Set(["sort", "order", "group", "by", "grouping"].flatMap((word) => stemsOf(word)));
const grouping = new Set(stemsOf("group by"));
/** `best product`, `which region`: what the rows are. */
const best = /\b(which|what|best|worst|top|biggest|largest|strongest|weakest)\s+(best\s+|selling\s+){0,2}$/i;
const anything = /\b(all|every|any|no|clear|reset|without)\s+(\S+\s+){0,2}$/i;

export function listedCandidates(search: Search): readonly Candidate[] {
  const { slot, reading } = search;
  const candidates: Candidate[] = [];
  const assigned = assignmentsOf(slot, reading).map(({ start }) => start);
  const values = listedValues(search);
  // Also those that are not listed: what is not lawful is asked for.
  if (values.some((value) => typeof value === "number")) candidates.push(...numberCandidates(search));
  for (const value of values) {
    if (value === null) candidates.push(...nothingCandidates(search));
    if (typeof value !== "string") continue;
    const phrase = stemsOfName(value);
    for (const at of placesOf(phrase, reading.tokens)) {
      const start = reading.tokens[at]?.start ?? 0;
      const end = reading.tokens[at + phrase.length - 1]?.end ?? start;
      const before = reading.text.slice(0, start);
      const isBy = /\b(by|per|each|every)\s+$/i.test(before) || (isNamed(slot, grouping) && best.test(before));
      const isAdverb = reading.tokens[at]?.text.toLowerCase().endsWith("ly") === true;
      const isAssigned = assigned.includes(start);
      // `orders of a customer` is not about sorting them.
      const isDirection = /^(asc|desc)/i.test(value);
      if (isNamed(slot, sorting) && !isBy && !isAdverb && !isAssigned && !isDirection) continue;
      const isExact = reading.text.slice(start, end).toLowerCase() === value.toLowerCase();
      const score = (isAssigned ? 10 : 8) + phrase.length / 10 + (isExact ? 0.05 : 0);
      candidates.push({ value, score, spans: [{ start, end }] });
    }
  }
  if (candidates.length === 0 && slot.required) candidates.push(...partlyNamed(values, search));
  return candidates;
}

/** `the chart` for `revenue_chart`, where no other value has that word. */
function partlyNamed(values: readonly Json[], { reading }: Search): readonly Candidate[] {
  return reading.tokens.flatMap(({ stem, start, end }) => {
    const named = values.filter((value) => typeof value === "string" && stemsOfName(value).includes(stem));
    return named.length === 1 && !isStopWord(stem)
      ? named.map((value) => ({ value, score: 3, spans: [{ start, end }] }))
      : [];
  });
}

function nothingCandidates({ slot, reading }: Search): readonly Candidate[] {
  return namePlaces(slot, reading)
    .filter(({ start }) => anything.test(reading.text.slice(0, start)))
    .map((span) => ({ value: null, score: 5, spans: [span] }));
}

export function listedValues({ slot }: Search): readonly Json[] {
  return slot.branches.flatMap((branch) => valuesOf(branch) ?? []);
}

/** Whether a slot takes days or times rather than any text. */
export function takesDays({ slot }: Search): boolean {
  const formats = slot.branches.map((branch) => branch["format"]);
  if (formats.some((format) => format === "date" || format === "date-time" || format === "time")) return true;
  if (formats.some((format) => format !== undefined)) return false;
  const isDay = isNamed(slot, new Set(["date", "day", "sinc", "until", "deadlin", "due", "start", "end", "time"]));
  return isDay || (/YYYY|ISO ?8601/.test(slot.description) && isAbout(slot, new Set(["date", "day", "yyyy"])));
}
