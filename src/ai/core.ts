// A second way into this folder, for those who load providers by name: from here none is loaded before it is asked.
export { AiCore } from "./ai-core.ts";
export { aiRemoteDeclaration, keptAiDeclaration } from "./remote-declaration.ts";
export { clearToolRegistry, getRegisteredTool, registerTool, unregisterTool } from "./tool-registry.ts";
export type * from "./provider.ts";
export type * from "./types.ts";
