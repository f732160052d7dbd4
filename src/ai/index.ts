export {
  AiCore,
  aiRemoteDeclaration,
  clearToolRegistry,
  getRegisteredTool,
  keptAiDeclaration,
  registerTool,
  unregisterTool,
} from "./core.ts";
export type * from "./core.ts";
export type { AiProviderName } from "./load-provider.ts";
export { withoutSpeaker } from "./naming-speakers.ts";
export { AnthropicProvider } from "./providers/anthropic.ts";
export { AzureOpenAiProvider } from "./providers/azure-openai.ts";
export { GoogleProvider } from "./providers/google.ts";
export { OpenAiResponsesProvider } from "./providers/openai-responses.ts";
export { OpenAiProvider } from "./providers/openai.ts";
export { modelToolOf } from "./sources/model-tool.ts";
export { textOfResult } from "./sources/result-text.ts";
export { toolText } from "./tool-text.ts";
