// The script of the SharedWorker: every tab of its origin that uses it is carried over one socket.
import { createCarrier } from "./carrier.ts";
import type { Serving } from "./local/create-serving.ts";
import type { Trunks } from "./trunks.ts";
import { workerPowers } from "./worker-powers.ts";

declare const self: SharedWorkerGlobalScope;

/** The app switches it on by the script's address: what runs in a page cannot. */
const isServing = new URLSearchParams(self.location.search).has("serve");
const carrier = createCarrier({ ...workerPowers(), end: () => self.close(), ...(isServing && { loadServing }) });

async function loadServing(trunks: Trunks): Promise<Serving> {
  const { createServing } = await import("./local/create-serving.ts");
  return createServing({ trunks, origin: self.location.origin });
}

self.onconnect = ({ ports: [port] }) => {
  if (!port) return;
  const take = carrier.greet(port);
  port.onmessage = ({ data, ports }) => take(data, ports);
};
