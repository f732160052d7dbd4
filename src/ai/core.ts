// A second entry point of this folder, for apps that load providers by name: it loads none before it is used.
export { AiCore } from "./ai-core.ts";
export { aiRemoteDeclaration, keptAiDeclaration } from "./remote-declaration.ts";
export { clearToolRegistry, getRegisteredTool, registerTool, unregisterTool } from "./tool-registry.ts";
export type { AiModel } from "./model.ts";
export type * from "./provider.ts";
export type * from "./types.ts";
