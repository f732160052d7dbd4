import { browserWorker } from "../via-worker/browser-worker.ts";
import { createWorkerLinks, scriptsOf } from "../via-worker/worker-links.ts";
import type { WorkerCarrying, WorkerLinks } from "../via-worker/worker-links.ts";

export { openWorkerPort } from "../via-worker/open-worker-port.ts";

/** The chunk that only pages with a worker load. */
export function startWorkerLinks({ hurry, ...workers }: WorkerCarrying): WorkerLinks {
  return createWorkerLinks({ scripts: scriptsOf(workers), hurry }, browserWorker());
}
