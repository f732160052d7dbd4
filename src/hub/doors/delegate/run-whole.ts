import { spliceEnd } from "./read-end.ts";
import { respondFailure, respondParts } from "./respond.ts";
import { letGoAtEnd } from "./run.ts";
import type { DelegateRun } from "./run.ts";

/** Runs a call, and answers with its whole result. */
export function runWhole(run: DelegateRun, jsonDepth: number): Promise<void> {
  const { response } = run;
  return new Promise((resolve) => {
    const handle = run.begin(
      {
        ended(outcome) {
          const parts = spliceEnd(outcome, run.idOf(handle), jsonDepth);
          if (parts) {
            respondParts(response, parts);
            return resolve();
          }
          const end = run.endOf(outcome);
          if ("failure" in end) respondFailure(response, end.failure);
          else
            respondParts(response, [JSON.stringify({ cmd: "browser_response", id: run.idOf(handle), ...end.fields })]);
          resolve();
        },
      },
      run.time,
    );
    letGoAtEnd(run, handle, resolve);
  });
}
