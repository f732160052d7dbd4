export { agUiTools, copilotKitTools } from "./ag-ui-tools.ts";
export { aiSdkTools, langChainTools, mastraTools, openaiTools } from "./framework-tools.ts";
export type { AgentToolOptions, ToolSource } from "./agent-tools.ts";
export { createChatTransport } from "./chat-transport.ts";
export { fromAiSdk } from "./from-ai-sdk.ts";
export type { AiSdkModel } from "./from-ai-sdk.ts";
export { toUIMessageStream } from "./ui-message-stream.ts";
