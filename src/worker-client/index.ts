export { connectServingWorker } from "./connect-serving-worker.ts";
export type { McpTransport, ServingWorkerOptions } from "./connect-serving-worker.ts";
export { WorkerClient, workerClient } from "./worker-client.ts";
export type { TabInfo, ToolHandler } from "./worker-client.ts";
export type { WorkerClientOptions } from "./worker-client-options.ts";
