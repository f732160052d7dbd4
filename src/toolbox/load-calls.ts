import type { MakeCalls } from "./make-calls.ts";

/**
 * Gets what runs calls when the first one comes; `async () => makeCalls` has it from the start.
 * A rejection is told to the caller, and the next call tries again.
 */
export type LoadCalls = () => Promise<MakeCalls>;

/** Loads what runs calls, which a page does not need before it is called. */
export async function loadCalls(): Promise<MakeCalls> {
  return (await import("./make-calls.ts")).makeCalls;
}
