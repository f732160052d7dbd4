// One call that is tried: begun, followed and cancelled.
import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { CallLog, CallProgress } from "pagewire/hub-client";
import type { HubOutcome } from "pagewire/hub-client";
import type { Hub } from "../hub/hub.ts";
import type { WrittenCall } from "./as-code.ts";

export interface Run {
  readonly call: WrittenCall;
  readonly isAcked: boolean;
  readonly progress?: CallProgress;
  readonly logs: readonly CallLog[];
  /** How many logs are not in the list. */
  readonly moreLogs: number;
  readonly isCancelling: boolean;
  readonly outcome?: HubOutcome;
  /** Milliseconds since 1970, and how long it took. */
  readonly at: number;
  readonly took?: number;
}

export interface Runner {
  /** The latest call; undefined before the first. */
  readonly run: ReadonlySignal<Run | undefined>;
  /** Resolves with the outcome. */
  start(call: WrittenCall): Promise<HubOutcome>;
  cancel(): void;
}

const mostLogs = 200;

/** Milliseconds that a call may take: a person may have to answer. */
const timeout = 10 * 60_000;

export function createRunner(hub: Pick<Hub, "call">): Runner {
  const run = signal<Run | undefined>(undefined);
  let aborter = new AbortController();
  let count = 0;

  return {
    run,
    async start(call) {
      aborter.abort();
      aborter = new AbortController();
      count += 1;
      const id = count;
      const began = performance.now();
      run.value = { call, isAcked: false, logs: [], moreLogs: 0, isCancelling: false, at: Date.now() };
      const change = (next: (now: Run) => Partial<Run>) => {
        if (id === count && run.value) run.value = { ...run.value, ...next(run.value) };
      };
      const { method, name, tabId: tab } = call;
      const outcome = await hub.call({
        ...{ method, name, tab, timeout, arguments: call.arguments, signal: aborter.signal },
        onAck: () => change(() => ({ isAcked: true })),
        onProgress: (progress) => change(() => ({ progress })),
        onLog: (log) =>
          change(({ logs, moreLogs }) =>
            logs.length < mostLogs ? { logs: [...logs, log] } : { moreLogs: moreLogs + 1 },
          ),
      });
      change(() => ({ outcome, took: performance.now() - began }));
      return outcome;
    },
    cancel() {
      if (run.value && !run.value.outcome) run.value = { ...run.value, isCancelling: true };
      aborter.abort(new Error("You cancelled it."));
    },
  };
}
