// A ServiceWorker, for browsers that have no SharedWorker. It carries links as that one does: it is registered for a
// scope in which no page lies, and takes no fetches.
import { systemClock } from "../link/index.ts";
import { createCarrier } from "./carrier.ts";
import type { CarrierOptions } from "./carrier.ts";
import { createStay } from "./stay.ts";
import { workerPowers } from "./worker-powers.ts";

declare const self: ServiceWorkerGlobalScope;

/** Carries the links of all tabs that send this ServiceWorker a port. */
export function runService(options: Pick<CarrierOptions, "createServing"> = {}): void {
  const carrier = createCarrier({ ...workerPowers(), ...options });
  const stay = createStay(systemClock);

  self.addEventListener("install", () => void self.skipWaiting());
  self.addEventListener("message", (event) => {
    // Browsers stop a ServiceWorker that has no event to work on, whatever its ports and sockets carry.
    event.waitUntil(stay());
    const [port] = event.ports;
    if (!port) return;
    const take = carrier.greet(port);
    port.onmessage = ({ data, ports }) => take(data, ports);
  });
}
