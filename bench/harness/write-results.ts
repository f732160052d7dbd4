import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Machine } from "./machine.ts";
import type { Row } from "./row.ts";

/** When and where a family of rows was measured, what with, and how busy the machine was: load averages of one minute. */
export interface Run {
  readonly date: string;
  readonly machine: Machine;
  /** How long it took; runs of earlier versions of the bench do not say. */
  readonly seconds?: number;
  /** The most that a contest could take. */
  readonly rounds: number;
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** Of everything that the bench measures. */
  readonly versions: Readonly<Record<string, string>>;
}

/** bench/results.json. */
export interface Results {
  readonly runs: Readonly<Record<string, Run>>;
  readonly rows: readonly Row[];
}

/** Writes new rows over the old ones of the same families; families that there are no more are dropped. */
export function writeResults(path: string, fresh: Results, order: readonly string[]): Results {
  const old = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Results) : { runs: {}, rows: [] };
  const runs = Object.fromEntries(
    Object.entries({ ...old.runs, ...fresh.runs })
      .filter(([row]) => order.includes(row))
      .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other)),
  );
  const all = [...old.rows.filter(({ row }) => row in runs && !(row in fresh.runs)), ...fresh.rows];
  const rows = all.toSorted((one, other) => order.indexOf(one.row) - order.indexOf(other.row));
  const results = { runs, rows };
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}
