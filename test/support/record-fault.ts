// Faults and attacks of the tests, with their outcomes: the rows of two pages in docs/reference/.
import { appendFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface FaultRow {
  /** The fault. */
  readonly fault: string;
  readonly expected: string;
  readonly observed: string;
  /** How often it was caused. */
  readonly count: number;
}

/** Adds a row to reliability.md, in this suite's chapter. If several rows have the same fault, the last one counts. */
export function recordFault(suite: string, row: FaultRow): void {
  record("reliability", suite, row);
}

/** The same for security.md: an attack instead of a fault. */
export function recordAttack(suite: string, row: FaultRow): void {
  record("security", suite, row);
}

function record(page: string, suite: string, row: FaultRow): void {
  const folder = fileURLToPath(new URL(`../../.cache/${page}/`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  appendFileSync(`${folder}${suite}.jsonl`, `${JSON.stringify(row)}\n`);
}
