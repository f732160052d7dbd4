export { connectServingWorker } from "./connect-serving-worker.ts";
export type { McpTransport, ServingWorkerOptions } from "./connect-serving-worker.ts";
export { TabManager, logger, queryEvents, storeEvent } from "./stand-ins.ts";
export type { EventFilters, TabInfo, ToolDefinition, ToolExecution, UserEvent } from "./stand-ins.ts";
export type { ToolHandler } from "./tool-of.ts";
export { WebMcpAdapter } from "./web-mcp-adapter.ts";
export type {
  ModelContext,
  ModelContextClient,
  ModelContextOptions,
  ModelContextTool,
  ToolExecuteCallback,
  UserInteractionCallback,
  WebMcpToolAnnotations,
} from "./web-mcp-adapter.ts";
export { WorkerClient, workerClient } from "./worker-client.ts";
export type { WorkerClientInitOptions } from "./worker-client-options.ts";
export type { Icon, ToolAnnotations } from "../wire/index.ts";
