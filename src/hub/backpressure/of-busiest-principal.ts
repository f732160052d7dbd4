/**
 * The items of the principal that has the most, by number or size, in their order. Evicting from them spares all other
 * principals.
 */
export function ofBusiestPrincipal<Item>(
  items: readonly Item[],
  principalOf: (item: Item) => string,
  sizeOf: (item: Item) => number = () => 1,
): readonly Item[] {
  const byPrincipal = new Map<string, Item[]>();
  for (const item of items) {
    const principal = principalOf(item);
    const known = byPrincipal.get(principal);
    if (known) known.push(item);
    else byPrincipal.set(principal, [item]);
  }
  const size = (those: readonly Item[]) => those.reduce((sum, item) => sum + sizeOf(item), 0);
  const [most = []] = [...byPrincipal.values()].sort((one, other) => size(other) - size(one));
  return most;
}
