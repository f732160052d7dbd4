// Runs the ServiceWorker, for browsers without SharedWorker. It is registered for a scope without pages, and handles no
// fetches.
import { systemClock } from "../link/index.ts";
import { createCarrier } from "./carrier.ts";
import type { CarrierOptions } from "./carrier.ts";
import { createKeepAlive } from "./keep-alive.ts";
import { workerPowers } from "./worker-powers.ts";

declare const self: ServiceWorkerGlobalScope;

/** Serves every tab that sends this ServiceWorker a port. */
export function runService(options: Pick<CarrierOptions, "createServing"> = {}): void {
  const carrier = createCarrier({ ...workerPowers(), ...options });
  const keepAlive = createKeepAlive(systemClock);

  self.addEventListener("install", () => void self.skipWaiting());
  self.addEventListener("message", (event) => {
    // Browsers stop a ServiceWorker without pending events, even if its ports and sockets are in use.
    event.waitUntil(keepAlive());
    const [port] = event.ports;
    if (!port) return;
    const take = carrier.greet(port);
    port.onmessage = ({ data, ports }) => take(data, ports);
  });
}
