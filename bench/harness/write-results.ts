import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Machine } from "./machine.ts";
import type { Row } from "./row.ts";

/** When a family of rows was measured, what with, and how busy the machine was: the load averages of one minute. */
export interface Run {
  readonly date: string;
  readonly rounds: number;
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** Of everything that the bench measures. */
  readonly versions: Readonly<Record<string, string>>;
}

/** bench/results.json. */
export interface Results {
  readonly machine: Machine;
  readonly runs: Readonly<Record<string, Run>>;
  readonly rows: readonly Row[];
}

/** Writes new rows over the old ones of the same families; rows of another machine are dropped. */
export function writeResults(path: string, fresh: Results, order: readonly string[]): Results {
  const old = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Results) : undefined;
  const kept = old && isDeepStrictEqual(old.machine, fresh.machine) ? old : { runs: {}, rows: [] };
  const runs = { ...kept.runs, ...fresh.runs };
  const all = [...kept.rows.filter(({ row }) => !(row in fresh.runs)), ...fresh.rows];
  const rows = all.toSorted((one, other) => order.indexOf(one.row) - order.indexOf(other.row));
  const results = { ...fresh, runs, rows };
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}
