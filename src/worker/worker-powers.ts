import { connectSocket, systemClock } from "../link/index.ts";
import type { CarrierOptions } from "./carrier.ts";

export function workerPowers(): CarrierOptions {
  return {
    clock: systemClock,
    lock: holdLock(),
    untilFree,
    connect: (url) =>
      connectSocket({ url, WebSocket, protocols: ["pagewire.channels.1"], limits: { queuedBytes: Infinity } }),
  };
}

/** Holds a lock while this worker lives, so that pages notice its death. Resolves with the lock's name. */
function holdLock(): Promise<string> {
  const name = `pagewire-worker:${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    void navigator.locks.request(name, () => {
      resolve(name);
      return new Promise(() => {});
    });
  });
}

/** Resolves when the lock is released. */
async function untilFree(name: string): Promise<void> {
  await navigator.locks.request(name, { mode: "shared" }, () => undefined);
}
