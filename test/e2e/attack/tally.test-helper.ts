// Counts what was tried and what came of it: a row of docs/reference/security.md is never typed.
import { expect } from "vitest";
import { recordAttack } from "../../support/record-fault.ts";

export interface Tally {
  /** One try, and what came of it. */
  add(name: string, outcome: unknown, must?: unknown): void;
  /** Fails if anything came out otherwise than it must; else writes the row. */
  close(): void;
}

/** Begins to count. What comes out must be `expected`, unless a try says what it must be. */
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
