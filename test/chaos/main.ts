import { writeFileSync } from "node:fs";
import { groupBy } from "./check/case.ts";
import { count, describeViolations, tally } from "./check/report.ts";
import { runChaos } from "./run-chaos.ts";

export interface MainOptions {
  readonly seed: string;
  readonly minutes: number;
  readonly isJson: boolean;
  /** Where the whole history is written to. */
  readonly historyFile: string | undefined;
}

/** Runs, prints what came of it, and sets the exit code. The first Ctrl-C ends the run early, the second at once. */
export async function main({ seed, minutes, isJson, historyFile }: MainOptions): Promise<void> {
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // What was started ends with this process.
      if (stopped.signal.aborted) process.exit(130);
      console.error("Ending the run; once more ends it at once.");
      stopped.abort();
    });
  }
  if (!isJson) console.log(`Chaos by seed ${seed} for ${minutes} minutes. The plan is the seed's; the timing is not.`);
  const { history, violations } = await runChaos({ seed, minutes, signal: stopped.signal });
  if (historyFile !== undefined) writeFileSync(historyFile, JSON.stringify(history));
  const counts = count(history);
  if (isJson) {
    console.log(JSON.stringify({ seed, minutes, counts, violations }));
  } else {
    const byCall = groupBy(violations, ({ call }) => call?.tag ?? "");
    for (const some of byCall.values()) console.log(`\n${describeViolations(some, history)}`);
    console.log(JSON.stringify(counts, null, 2));
    if (violations.length > 0) console.log(tally(violations.map(({ kind }) => kind)));
    console.log(violations.length === 0 ? "No violation." : `${violations.length} violations.`);
  }
  process.exitCode = violations.length === 0 ? 0 : 1;
}
