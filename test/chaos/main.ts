// The main program of `npm run chaos`, once it is compiled.
import { appendFileSync, writeFileSync } from "node:fs";
import type { FaultRow } from "../support/record-fault.ts";
import { groupBy } from "./check/case.ts";
import { count, describeViolations, tally } from "./check/report.ts";
import { openHubsWorld } from "../hubs/support/hubs-world.ts";
import { hubFaultTimes, hubFaults, runHubFault } from "../hubs/support/run-hub-faults.ts";
import { runKills } from "./kills/run-kills.ts";
import type { KillsResult } from "./kills/run-kills.ts";
import { runChaos } from "./run-chaos.ts";
import { databaseKinds } from "./world/chaos-database.ts";
import type { DatabaseKind } from "./world/chaos-database.ts";

export interface MainOptions {
  readonly seed: string;
  readonly database: string;
  readonly isJson: boolean;
  readonly minutes: number;
  /** The file for the whole history. */
  readonly historyFile: string | undefined;
  /** How often the hub is killed, instead of all other faults. */
  readonly kills: number | undefined;
  /** How many rounds of the faults of three hubs there are, instead of all other faults. */
  readonly hubRounds: number | undefined;
  /** Whether a run without violations is recorded in docs/reference/reliability.md. */
  readonly isRecorded: boolean;
}

type Run = Omit<MainOptions, "database"> & { readonly database: DatabaseKind; readonly signal: AbortSignal };

/** Runs, prints the results, and returns the exit code. The first Ctrl-C ends the run early, the second at once. */
export async function main(options: MainOptions): Promise<number> {
  const database = databaseKinds.find((kind) => kind === options.database);
  if (!database) throw new Error(`--database is one of ${databaseKinds.join(", ")}, and is "${options.database}".`);
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // All child processes end with this one.
      if (stopped.signal.aborted) process.exit(130);
      console.error("Ending the run; once more ends it at once.");
      stopped.abort();
    });
  }
  const run = { ...options, database, signal: stopped.signal };
  if (run.hubRounds !== undefined) return hubsAlone(run, run.hubRounds);
  return run.kills === undefined ? faultsOfAllKinds(run) : killsAlone(run, run.kills);
}

async function faultsOfAllKinds({ historyFile, ...options }: Run): Promise<number> {
  const { seed, minutes, database, isJson } = options;
  if (!isJson)
    console.log(
      `Chaos by seed ${seed} for ${minutes} minutes over ${database}. The plan is the seed's; the timing is not.`,
    );
  const { history, violations } = await runChaos(options);
  if (historyFile !== undefined) writeFileSync(historyFile, JSON.stringify(history));
  const counts = count(history);
  if (isJson) {
    console.log(JSON.stringify({ seed, minutes, database, counts, violations }));
  } else {
    const byCall = groupBy(violations, ({ call }) => call?.tag ?? "");
    for (const some of byCall.values()) console.log(`\n${describeViolations(some, history)}`);
    console.log(JSON.stringify(counts, null, 2));
    if (violations.length > 0) console.log(tally(violations.map(({ kind }) => kind)));
    console.log(violations.length === 0 ? "No violation." : `${violations.length} violations.`);
  }
  const { calls, attempts, keyedAttempts, runs, faults } = counts;
  const row = {
    fault: `faults of all kinds at random for ${minutes} minutes, seed ${seed}, ${database}`,
    count: faults,
    expected: "doubles 0, lies 0, hangs 0, every tab back",
    observed: `none of ${calls} calls (${attempts} attempts, ${keyedAttempts} with keys, ${runs} runs)`,
  };
  return conclude(violations.length === 0, options, row);
}

async function killsAlone({ isJson, ...options }: Run, kills: number): Promise<number> {
  const { seed, database } = options;
  if (!isJson) console.log(`${kills} kills of the hub by seed ${seed} over ${database}.`);
  const result = await runKills({ ...options, kills });
  const { doubles, lost, lies, others } = result;
  const problems = [...doubles, ...lost, ...lies, ...others];
  if (isJson) console.log(JSON.stringify({ seed, database, ...result }));
  else console.log([...problems, `${result.kills} kills: ${describeKills(result)}.`].join("\n\n"));
  const row = {
    fault: `kill -9 of the hub at random moments under load, seed ${seed}, ${database}`,
    count: result.kills,
    expected: "doubles 0, lost 0, lies 0",
    observed: describeKills(result),
  };
  return conclude(problems.length === 0, options, row);
}

async function hubsAlone({ isJson, ...options }: Run, rounds: number): Promise<number> {
  let isWell = true;
  for (let round = 0; round < rounds && !options.signal.aborted; round++) {
    const world = await openHubsWorld(300);
    try {
      for (const fault of hubFaults) {
        const result = await runHubFault(world, { fault, time: hubFaultTimes[fault], callers: 24, round });
        const { calls, doubles, lies, keysLost, keysKept, outcomes, backAfter, refusedAfter } = result;
        const short = { fault, calls, outcomes, doubles, lies, keysLost, keysKept, backAfter, refusedAfter };
        console.log(JSON.stringify(isJson ? { fault, ...result } : short));
        const isRight = [doubles, lies, keysLost].every(({ length }) => length === 0);
        isWell &&= isRight;
        const refusal = refusedAfter === undefined ? "" : `; refused by name after ${refusedAfter} ms`;
        const counts = `doubles ${doubles.length}, lies ${lies.length} of ${calls} calls, lost ${keysLost.length} of ${keysKept} keys`;
        const observed = `${counts}; every page back after ${backAfter} ms${refusal}`;
        conclude(isRight, options, {
          fault: `${fault}, of three hubs`,
          count: 1,
          expected: "doubles 0, lies 0, keys lost 0",
          observed,
        });
      }
    } finally {
      await world.close();
    }
  }
  return isWell ? 0 : 1;
}

function describeKills({ calls, keyedCalls, acknowledged, doubles, lost, lies, others }: KillsResult): string {
  const { questions, answers, decisions } = acknowledged;
  return (
    `doubles ${doubles.length}, lost ${lost.length}, lies ${lies.length}, others ${others.length} of ${calls} calls ` +
    `(${keyedCalls} with keys), ${questions} questions, ${answers} answers and ${decisions} decisions`
  );
}

const results = new URL("results.jsonl", import.meta.url);

/** The exit code. The recorded row is stored beside the driver: long runs are not part of every test. */
function conclude(isWell: boolean, { isRecorded, signal }: Pick<Run, "isRecorded" | "signal">, row: FaultRow): number {
  const fault = `${row.fault} (${new Date().toISOString().slice(0, 10)})`;
  if (isWell && isRecorded && !signal.aborted) appendFileSync(results, `${JSON.stringify({ ...row, fault })}\n`);
  return isWell ? 0 : 1;
}
