export type { ToolInfo } from "./tool-references.ts";
export { WorkerClient, workerClient } from "./worker-client.ts";
export type { ConnectionStatusListener, TabInfo, ToolHandler, ToolOptions } from "./worker-client.ts";
export type { ConnectionOptions, InitParameters, WorkerClientOptions } from "./worker-client-options.ts";
