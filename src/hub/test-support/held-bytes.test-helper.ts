import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects this process's garbage. */
const collectGarbage = runInNewContext("gc") as () => void;

/** What this process holds, the hub and its peers together. */
export function heldBytes(): number {
  // What one collection finds to be nobody's, the next one lets go of.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
