// Which value goes where: the surest first, and no word of the sentence twice.
import type { Json } from "../../../../../wire/index.ts";
import type { Reading } from "../read-sentence.ts";
import type { Sampling } from "../schema/sample.ts";
import { overlap } from "../span.ts";
import type { Span } from "../span.ts";
import { listCandidates } from "./list-values.ts";
import { booleanCandidates, listedCandidates, listedValues, numberCandidates } from "./plain-values.ts";
import { fits } from "./slot.ts";
import type { Candidate, Search, Slot } from "./slot.ts";
import { textCandidates } from "./text-values.ts";

export interface Sources {
  readonly reading: Reading;
  readonly sampling: Sampling;
  readonly called: Search["called"];
  readonly known: ReadonlyMap<string, Json>;
}

export interface Chosen {
  readonly values: ReadonlyMap<Slot, Json>;
  /** Slots for which something was said that is not lawful there. */
  readonly refused: ReadonlySet<Slot>;
}

/** From here on a number was meant for its slot, and is not there by chance. */
const meant = 6;
/** From here on it was given by the name of its slot. */
const byName = 10;

export function chooseValues(slots: readonly Slot[], { reading, sampling, called, known }: Sources): Chosen {
  const values = new Map<Slot, Json>();
  const refused = new Set<Slot>();
  const taken: Span[] = [];
  const offers = slots.flatMap((slot) => {
    const search = { slot, reading, sampling, called };
    const said = known.get(String(slot.path.at(-1)));
    const all =
      said === undefined ? candidatesOf(search) : [{ value: said, score: 100, spans: [] }, ...candidatesOf(search)];
    return all.map((candidate) => ({ slot, search, candidate }));
  });
  for (const { slot, search, candidate } of offers.toSorted(
    (one, other) => other.candidate.score - one.candidate.score,
  )) {
    const { value, spans, score } = candidate;
    if (values.has(slot) || spans.some((span) => taken.some((other) => overlap(span, other)))) continue;
    if (fits(value, search)) {
      values.set(slot, value);
      taken.push(...spans);
      refused.delete(slot);
    } else if (spans.length > 0 && (typeof value === "number" ? score >= meant : score >= byName)) {
      refused.add(slot);
    }
  }
  return { values, refused };
}

function candidatesOf(search: Search): readonly Candidate[] {
  const { types } = search.slot;
  const candidates: Candidate[] = [];
  if (listedValues(search).length > 0) return listedCandidates(search);
  if (types.has("number") || types.has("integer")) candidates.push(...numberCandidates(search));
  if (types.has("boolean")) candidates.push(...booleanCandidates(search));
  if (types.has("string")) candidates.push(...textCandidates(search));
  if (types.has("array")) candidates.push(...listCandidates(search, candidatesOf));
  return candidates;
}
