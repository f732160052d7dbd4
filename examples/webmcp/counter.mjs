import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** A number, and what was added to it, in a file. */
export function createCounter(file) {
  let additions = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  let offerChanged = () => {};
  mkdirSync(new URL(".", file), { recursive: true });

  function keep(next) {
    const couldReset = additions.length > 0;
    additions = next;
    writeFileSync(file, JSON.stringify(additions));
    if (couldReset !== additions.length > 0) offerChanged();
  }

  return {
    get value() {
      return additions.reduce((sum, { amount }) => sum + amount, 0);
    },
    get additions() {
      return additions;
    },
    add: (amount) => keep([...additions, { amount, at: new Date().toISOString() }]),
    reset: () => keep([]),
    /** There is something to reset, or nothing any more. */
    onOfferChanged: (listener) => (offerChanged = listener),
  };
}
