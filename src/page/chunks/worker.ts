import { browserWorker } from "../browser-worker.ts";
import { createWorkerLinks } from "../worker-links.ts";
import type { WorkerLinks, WorkerLinksOptions } from "../worker-links.ts";

export { openWorkerPort } from "../open-worker-port.ts";

/** Links that a worker carries. */
export function startWorkerLinks(options: WorkerLinksOptions): WorkerLinks {
  return createWorkerLinks(options, browserWorker());
}
