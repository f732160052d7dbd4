/** The known word that a mistyped one was probably meant to be: hardly anybody misses its first letter and another one. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const maxDistance = word.length < 4 ? 1 : word.length < 8 ? 2 : 3;
  const [best] = known
    .map((candidate) => ({
      candidate,
      distance: candidate.startsWith(word) && word !== "" ? 0 : distance(word, candidate),
    }))
    .toSorted((one, other) => one.distance - other.distance);
  if (best === undefined) return undefined;
  return best.distance <= (best.candidate[0] === word[0] ? maxDistance : 1) ? best.candidate : undefined;
}

/** How many characters must be added, dropped, changed or swapped to make one word of the other. */
function distance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let at = 1; at <= one.length; at++) {
    const [above = [], twoAbove] = [rows[at - 1], rows[at - 2]];
    const row = [at];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[at - 1] === other[column - 1];
      const isSwapped = one[at - 1] === other[column - 2] && one[at - 2] === other[column - 1];
      row[column] = Math.min(
        (row[column - 1] ?? 0) + 1,
        (above[column] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped && twoAbove !== undefined ? (twoAbove[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}
