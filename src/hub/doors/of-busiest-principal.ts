/** The items of the principal that has the most of them, in their order: one with many does not cost the others theirs. */
export function ofBusiestPrincipal<Item>(items: readonly Item[], principalOf: (item: Item) => string): readonly Item[] {
  const byPrincipal = new Map<string, Item[]>();
  for (const item of items) {
    const principal = principalOf(item);
    const known = byPrincipal.get(principal);
    if (known) known.push(item);
    else byPrincipal.set(principal, [item]);
  }
  const [most = []] = [...byPrincipal.values()].sort((one, other) => other.length - one.length);
  return most;
}
