// Candidates for arrays of plain values: all that would do for one of their items.
import type { Json } from "../../../../../wire/index.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";
import { overlap } from "../span.ts";
import type { Span } from "../span.ts";
import { assignmentsOf, textAt } from "./assigned.ts";
import { createSlot, fits } from "./slot.ts";
import type { Candidate, Search } from "./slot.ts";

export type FindCandidates = (search: Search) => readonly Candidate[];

export function listCandidates(search: Search, findCandidates: FindCandidates): readonly Candidate[] {
  const { slot, sampling } = search;
  return slot.branches.flatMap((branch) => {
    const items = branch["items"] === undefined ? undefined : resolveSchema(sampling.root, branch["items"]);
    if (!items) return [];
    const item = { ...search, slot: createSlot(items, { path: slot.path, required: slot.required, sampling }) };
    const most = typeof branch["maxItems"] === "number" ? branch["maxItems"] : Infinity;
    const lists = [writtenList(item), gather(findCandidates(item).filter(({ score }) => score >= 2))];
    return lists.flatMap((list) => (list ? [shorten(list, most)] : []));
  });
}

/** `a, b and c` after the name of the slot, or after a preposition that suits it. */
function writtenList(item: Search): Candidate | undefined {
  const { slot, reading } = item;
  for (const assignment of assignmentsOf(slot, reading)) {
    const first = textAt(assignment, reading);
    if (!first) continue;
    const whole = /^[^.;:!?\n]*/.exec(reading.text.slice(first.start))?.[0] ?? first.value;
    const parts = whole
      .split(/\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+/)
      .map((part) => part.trim().replace(/^["'“]|["'”]$/g, ""));
    const values = parts.map((part): Json => (slot.types.has("string") ? part : Number(part)));
    if (values.length < 2 || !values.every((value) => !Number.isNaN(value) && fits(value, item))) continue;
    return {
      value: values,
      score: assignment.isPlain ? 10.5 : 10.2,
      spans: [{ start: first.start, end: first.start + whole.length }],
    };
  }
  return undefined;
}

/** All of the likeliest kind, in the order of the sentence, none from the same words as another. */
function gather(found: readonly Candidate[]): Candidate | undefined {
  const best = Math.max(...found.map(({ score }) => Math.floor(score)));
  const taken: { value: Json; span: Span }[] = [];
  for (const { value, score, spans } of found) {
    const [span] = spans;
    if (!span || score < best || taken.some((other) => other.value === value || overlap(other.span, span))) continue;
    taken.push({ value, span });
  }
  if (taken.length === 0) return undefined;
  const inOrder = taken.toSorted((one, other) => one.span.start - other.span.start);
  return { value: inOrder.map(({ value }) => value), score: best, spans: inOrder.map(({ span }) => span) };
}

function shorten(list: Candidate, most: number): Candidate {
  return Array.isArray(list.value) ? { ...list, value: (list.value as readonly Json[]).slice(0, most) } : list;
}
