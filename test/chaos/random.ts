// Repeatable randomness: all random choices of a run follow from the run's seed.

/** A source of random numbers. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** One of these, by weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** An independent source: its numbers do not affect this one's. */
  fork(name: string): Random;
}

/** The same seed gives the same numbers. */
export function createRandom(seed: string): Random {
  let state = hash(seed);

  // Mulberry32: short, and random enough for faults.
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("Nothing can be picked from an empty list.");
      return item;
    },
    weighted(weights) {
      const entries = Object.entries<number>(weights);
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const [name] = entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0] ?? [];
      return name as keyof typeof weights;
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}
