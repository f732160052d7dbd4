import { systemClock } from "../link/index.ts";
import { isHttpError } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { Ask, Run } from "./run.ts";
import type { AiRetryOptions } from "./types.ts";

/** Statuses that allow a retry, besides all from 500 on. */
const passing = [408, 409, 425, 429];

/** Retries requests that failed before any of the answer arrived, as often as the options allow. */
export function retrying(run: Run, ask: Ask): Ask {
  const { options, signal, state } = run;
  const { retries = 0 } = options;
  const given: AiRetryOptions = typeof retries === "number" ? { attempts: retries } : retries;
  const { attempts, delay = 500, maxDelay = 30_000 } = given;
  return async (asked) => {
    for (let tried = 0; ; tried++) {
      try {
        return await ask(asked);
      } catch (failure) {
        const wait = askedWait(failure) ?? Math.min(delay * 2 ** tried, maxDelay);
        if (signal.aborted || !(tried < attempts && wait <= maxDelay && mayPass(failure, run.answer))) throw failure;
        state.update({ streaming: false });
        await pause(wait, signal);
      }
    }
  };
}

function askedWait(failure: unknown): number | undefined {
  const seconds = isHttpError(failure) ? failure.retryAfter : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}

function mayPass(failure: unknown, answer: Answer | undefined): boolean {
  if (!answer || answer.content || answer.reasoning || answer.deltas.length > 0) return false;
  return (
    answer.isLost === true || (isHttpError(failure) && (passing.includes(failure.status) || failure.status >= 500))
  );
}

async function pause(time: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = systemClock.after(time, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop);
  });
}
