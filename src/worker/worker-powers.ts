import { connectSocket, systemClock } from "../link/index.ts";
import type { CarrierOptions } from "./carrier.ts";
import { holdLock, untilFree } from "./locks.ts";

/** What of the worker's browser it takes to carry links. */
export function workerPowers(): CarrierOptions {
  return {
    clock: systemClock,
    lock: holdLock(),
    untilFree,
    connect: (url) =>
      connectSocket({ url, WebSocket, protocols: ["pagewire.channels.1"], limits: { queuedBytes: Infinity } }),
  };
}
