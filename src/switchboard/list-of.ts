/** So many are named; that there are more is said. */
const most = 50;

/** The end of a sentence that names what there is. */
export function listOf(names: Iterable<string> = []): string {
  const all = [...names];
  if (all.length === 0) return "nothing.";
  const named = all.slice(0, most).join(", ");
  return all.length > most ? `${named} and ${all.length - most} more.` : `${named}.`;
}
