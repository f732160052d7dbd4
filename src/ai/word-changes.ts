// The words of a text that differ from an earlier one.
import type { TextPiece, ToolChange } from "../toolbox/index.ts";

/** Words, and each sign by itself, with the space before them. */
const words = /\s*(?:[\p{L}\p{M}\p{N}_]+|\S|$)/gu;

/** Max comparisons. Beyond this, everything between the equal ends counts as different. */
const MAX_COMPARISONS = 250_000;

/** A longer equal part shows only its ends, so that the differences are easy to find. */
const MAX_EQUAL = 240;
const endShown = 100;

/** Both texts, shortened where they are the same for long. */
export function changesShown(before: string, after: string): ToolChange {
  const changes = wordChanges(before, after);
  return { before: changes.before.map(shortened), after: changes.after.map(shortened) };
}

function shortened(piece: TextPiece): TextPiece {
  const { text, differs } = piece;
  if (differs || text.length <= MAX_EQUAL) return piece;
  return { text: `${text.slice(0, endShown)} […] ${text.slice(-endShown)}` };
}

/** Both texts in pieces; a piece that the other text lacks is marked as different. */
export function wordChanges(before: string, after: string): ToolChange {
  const old = before.match(words) ?? [];
  const now = after.match(words) ?? [];
  const least = Math.min(old.length, now.length);
  let start = 0;
  while (start < least && old[start] === now[start]) start++;
  let end = 0;
  while (end < least - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const kept = commonWords(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const piecesOf = (all: readonly string[], inside: ReadonlySet<number>) =>
    join(all.map((text, at) => [text, at >= start && at < all.length - end && !inside.has(at - start)]));
  return { before: piecesOf(old, kept.before), after: piecesOf(now, kept.after) };
}

/** The places of a longest sequence of words that both have. */
function commonWords(old: readonly string[], now: readonly string[]) {
  const places = { before: new Set<number>(), after: new Set<number>() };
  if (old.length * now.length > MAX_COMPARISONS) return places;
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (one: number, other: number) => lengths[one * width + other] ?? 0;
  for (let one = old.length - 1; one >= 0; one--)
    for (let other = now.length - 1; other >= 0; other--)
      lengths[one * width + other] =
        old[one] === now[other] ? at(one + 1, other + 1) + 1 : Math.max(at(one + 1, other), at(one, other + 1));
  for (let one = 0, other = 0; one < old.length && other < now.length;) {
    if (old[one] === now[other]) {
      places.before.add(one++);
      places.after.add(other++);
    } else if (at(one + 1, other) >= at(one, other + 1)) one++;
    else other++;
  }
  return places;
}

function join(marked: readonly (readonly [text: string, differs: boolean])[]): TextPiece[] {
  const pieces: { text: string; differs?: true }[] = [];
  for (const [text, differs] of marked) {
    const last = pieces.at(-1);
    if (last && Boolean(last.differs) === differs) last.text += text;
    else if (text !== "") pieces.push(differs ? { text, differs } : { text });
  }
  return pieces;
}
