export { connectServingWorker } from "./connect-serving-worker.ts";
export type { McpMessage, McpTransport } from "./connect-serving-worker.ts";
export type { ServingWorkerOptions } from "./serving-worker-options.ts";
export type { ToolDetails, ToolInfo } from "./tool-references.ts";
export { WorkerClient, workerClient } from "./worker-client.ts";
export type { ConnectionStatusListener, TabInfo, ToolHandler, ToolOptions } from "./worker-client.ts";
export type { ConnectionOptions, InitParameters, WorkerClientOptions } from "./worker-client-options.ts";
