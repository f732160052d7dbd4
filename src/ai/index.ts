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
export { providerLoader } from "./lazy-parts.ts";
export type { AiProviderName } from "./lazy-parts.ts";
export { withoutSpeaker } from "./naming-speakers.ts";
export { AnthropicProvider } from "./providers/anthropic.ts";
export { isProviderName, providerNames } from "./lazy-parts.ts";
export { AzureOpenAiProvider } from "./providers/azure-openai.ts";
export { GoogleProvider } from "./providers/google.ts";
export { OpenAiResponsesProvider } from "./providers/openai-responses.ts";
export { OpenAiProvider } from "./providers/openai.ts";
export { fitTool, openTool } from "./schemas/fit-tool.ts";
export type { SchemaRuleName } from "./schemas/schema-rules.ts";
export { modelToolOf } from "./sources/model-tool.ts";
export { textOfResult } from "./sources/model-tool.ts";
export { toolText } from "./tool-message.ts";
