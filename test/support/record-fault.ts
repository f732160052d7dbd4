// What the tests did to the system, and what came of it: the rows of two pages in docs/reference/.
import { appendFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface FaultRow {
  /** What was done to the system. */
  readonly fault: string;
  readonly expected: string;
  readonly observed: string;
  /** How often it was done. */
  readonly count: number;
}

/** Adds a row to reliability.md, in the chapter of this suite. Of several rows about the same fault the last one holds. */
export function recordFault(suite: string, row: FaultRow): void {
  record("reliability", suite, row);
}

/** The same for security.md: what somebody tried who means harm. */
export function recordAttack(suite: string, row: FaultRow): void {
  record("security", suite, row);
}

function record(page: string, suite: string, row: FaultRow): void {
  const folder = fileURLToPath(new URL(`../../.cache/${page}/`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  appendFileSync(`${folder}${suite}.jsonl`, `${JSON.stringify(row)}\n`);
}
