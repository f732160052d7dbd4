import type { MakeCalls } from "./make-calls.ts";

/**
 * Loads the code that runs calls, with the first call; `async () => makeCalls` has it from the start.
 * A failure goes to the caller, and the next call tries again.
 */
export type LoadCalls = () => Promise<MakeCalls>;

/** Loads the code that runs calls. */
export async function loadCalls(): Promise<MakeCalls> {
  return (await import("./make-calls.ts")).makeCalls;
}
