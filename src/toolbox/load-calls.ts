import type { MakeCalls } from "./calls.ts";

/** Loads what runs calls, which a page does not need before it is called. */
export async function loadCalls(): Promise<MakeCalls> {
  return (await import("./make-calls.ts")).makeCalls;
}
