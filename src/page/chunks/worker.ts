import { browserWorker } from "../worker/browser-worker.ts";
import { createWorkerLinks, scriptsOf } from "../worker/worker-links.ts";
import type { WorkerCarrying, WorkerLinks } from "../worker/worker-links.ts";

export { openWorkerPort } from "../worker/open-worker-port.ts";

/** The chunk that only pages with a worker load. */
export function startWorkerLinks({ hurry, ...workers }: WorkerCarrying): WorkerLinks {
  return createWorkerLinks({ scripts: scriptsOf(workers), hurry }, browserWorker());
}
