/** What is there now, of what comes and goes with every request. */
export interface Roster<Item> {
  readonly size: number;
  /** Returns a function that takes it away again, and that can be called twice. */
  add(item: Item): () => void;
  /** All that is there now. */
  items(): readonly Item[];
}

/**
 * A Set would not let go of what was deleted: V8 links each table that a Set has outgrown, with all that was in it, to
 * the next one, and once one of them is old, all of that stays until the next full garbage collection.
 */
export function createRoster<Item>(): Roster<Item> {
  const places: Place<Item>[] = [];
  return {
    get size() {
      return places.length;
    },
    add(item) {
      const place = { item, at: places.length };
      places.push(place);
      return () => {
        if (places[place.at] !== place) return;
        const last = places.pop();
        if (!last || last === place) return;
        last.at = place.at;
        places[last.at] = last;
      };
    },
    items: () => places.map(({ item }) => item),
  };
}

interface Place<Item> {
  readonly item: Item;
  at: number;
}
