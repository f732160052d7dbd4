export { connectServingWorker } from "./connect-serving-worker.ts";
export type { McpTransport, ServingWorkerOptions } from "./connect-serving-worker.ts";
export { logger, queryEvents, storeEvent } from "./stand-ins.ts";
export type { EventFilters, ToolDefinition, UserEvent } from "./stand-ins.ts";
export { WorkerClient, workerClient } from "./worker-client.ts";
export type { TabInfo, ToolHandler } from "./worker-client.ts";
export type { WorkerClientInitOptions } from "./worker-client-options.ts";
