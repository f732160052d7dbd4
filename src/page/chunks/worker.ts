import { browserWorker } from "../worker/browser-worker.ts";
import { createWorkerLinks, scriptsOf } from "../worker/worker-links.ts";
import type { WorkerCarrying, WorkerLinks } from "../worker/worker-links.ts";

export { openWorkerPort } from "../worker/open-worker-port.ts";

/** Links that a worker carries. */
export function startWorkerLinks({ hurry, ...workers }: WorkerCarrying): WorkerLinks {
  return createWorkerLinks({ scripts: scriptsOf(workers), hurry }, browserWorker());
}
