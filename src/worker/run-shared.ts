import { createCarrier } from "./carrier.ts";
import type { CarrierOptions } from "./carrier.ts";
import { workerPowers } from "./worker-powers.ts";

declare const self: SharedWorkerGlobalScope;

/** Serves every tab that connects to this SharedWorker. */
export function runShared(options: Pick<CarrierOptions, "createServing"> = {}): void {
  const carrier = createCarrier({ ...workerPowers(), ...options, end: () => self.close() });
  self.onconnect = ({ ports: [port] }) => {
    if (!port) return;
    const take = carrier.greet(port);
    port.onmessage = ({ data, ports }) => take(data, ports);
  };
}
