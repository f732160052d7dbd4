import { browserWorker } from "../browser-worker.ts";
import { createWorkerLinks } from "../worker-links.ts";
import type { WorkerLinks } from "../worker-links.ts";
import { scriptsOf } from "../worker-scripts.ts";
import type { WorkerCarrying } from "../worker-scripts.ts";

export { openWorkerPort } from "../open-worker-port.ts";

/** Links that a worker carries. */
export function startWorkerLinks({ hurry, ...workers }: WorkerCarrying): WorkerLinks {
  return createWorkerLinks({ scripts: scriptsOf(workers), hurry }, browserWorker());
}
