import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects this process's garbage. */
const collectGarbage = runInNewContext("gc") as () => void;

/** This process's memory, which includes the hub and its peers. */
export function heldBytes(): number {
  // One collection finds the unreachable objects; the next one frees their memory.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
