// Counts attempts and their outcomes, so that no row of docs/reference/security.md is written by hand.
import { expect } from "vitest";
import { recordAttack } from "../../support/record-fault.ts";

export interface Tally {
  /** One attempt and its outcome. */
  add(name: string, outcome: unknown, must?: unknown): void;
  /** Fails if any outcome differs from the required one; otherwise records the row. */
  close(): void;
}

/** Starts a count. Each outcome must be `expected`, unless its attempt requires another. */
export function startTally(chapter: string, attack: string, expected: string): Tally {
  const wrong: { name: string; outcome: unknown; must: unknown }[] = [];
  let count = 0;
  return {
    add(name, outcome, must = expected) {
      count++;
      if (!sameJson(outcome, must)) wrong.push({ name, outcome, must });
    },
    close() {
      expect(wrong).toEqual([]);
      expect(count).toBeGreaterThan(0);
      recordAttack(chapter, { fault: attack, count, expected, observed: expected });
    },
  };
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
