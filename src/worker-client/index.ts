export { connectServingWorker } from "./connect-serving-worker.ts";
export type { McpTransport } from "./connect-serving-worker.ts";
export type { ServingWorkerOptions } from "./serving-worker-options.ts";
export { WorkerClient, workerClient } from "./worker-client.ts";
export type { TabInfo, ToolHandler } from "./worker-client.ts";
export type { WorkerClientOptions } from "./worker-client-options.ts";
