// The script of the ServiceWorker, for browsers that have no SharedWorker. It carries links as that one does, and
// nothing else: it is registered for a scope in which no page lies, and takes no fetches.
import { systemClock } from "../link/index.ts";
import { createCarrier } from "./carrier.ts";
import { createStay } from "./stay.ts";
import { workerPowers } from "./worker-powers.ts";

declare const self: ServiceWorkerGlobalScope;

const carrier = createCarrier(workerPowers());
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
