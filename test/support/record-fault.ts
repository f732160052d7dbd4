// What the tests did to the system, and what came of it: the rows of docs/reference/reliability.md.
import { appendFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../.cache/reliability/", import.meta.url));

export interface FaultRow {
  /** What was done to the system. */
  readonly fault: string;
  readonly expected: string;
  readonly observed: string;
  /** How often it was done. */
  readonly count: number;
}

/** Adds a row to .cache/reliability/<suite>.jsonl. Of several rows about the same fault the last one holds. */
export function recordFault(suite: string, row: FaultRow): void {
  mkdirSync(folder, { recursive: true });
  appendFileSync(`${folder}${suite}.jsonl`, `${JSON.stringify(row)}\n`);
}
