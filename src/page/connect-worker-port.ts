import type { ServedPort, WorkerPortOptions } from "./open-worker-port.ts";

/**
 * Has a worker of this page's origin serve an MCP client at a port; `connectServingWorker` of `pagewire/worker` makes a
 * transport of it. What that takes is loaded first.
 */
export async function connectWorkerPort(options: WorkerPortOptions): Promise<ServedPort> {
  const { openWorkerPort } = await import("./chunks/worker.ts");
  return openWorkerPort(options);
}
