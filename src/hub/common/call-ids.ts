/** Engines hold integers of 31 bits without an allocation, and print them fast. */
const halfBits = 15;
const half = 2 ** halfBits - 1;
const idsPerTurn = 2 ** (2 * halfBits);

/**
 * Makes ids that are unique across hubs and runs. Their numbers are permuted by a key of this run: an agent that compares its own
 * ids cannot count the calls that others made in between.
 */
export function createCallIds(): () => string {
  const run = crypto.randomUUID().replaceAll("-", "").slice(0, 20);
  const keys = crypto.getRandomValues(new Uint32Array(4));
  let turn = 0;
  let count = 0;
  let prefix = `${run}.`;
  return () => {
    if (count === idsPerTurn) {
      count = 0;
      turn++;
      prefix = `${run}.${turn.toString(36)}.`;
    }
    return prefix + permute(count++, keys).toString(36);
  };
}

/** A Feistel network: each number has an image of its own. */
function permute(value: number, keys: Uint32Array): number {
  let left = value >>> halfBits;
  let right = value & half;
  for (const key of keys) {
    const mixed = left ^ ((Math.imul(right ^ key, 0x9e3779b1) >>> 12) & half);
    left = right;
    right = mixed;
  }
  return (left << halfBits) | right;
}
