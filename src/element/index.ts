export {
  AiCore,
  AnthropicProvider,
  AzureOpenAiProvider,
  GoogleProvider,
  OpenAiProvider,
  OpenAiResponsesProvider,
  clearToolRegistry,
  getRegisteredTool,
  registerTool,
  unregisterTool,
} from "../ai/index.ts";
export type * from "../ai/index.ts";
export type { AiAgentCoreValues as WcsAiCoreValues, AiAgentValues as WcsAiValues } from "../ai/index.ts";
export type { AgentConnection } from "./agent-connection.ts";
export type { AiAgentEventMap } from "./agent-events.ts";
export { AiAgent, AiAgent as WcsAi } from "./ai-agent.ts";
export { AiMessageElement } from "./ai-message.ts";
export { bootstrapAi } from "./bootstrap-ai.ts";
export { getConfig, getRemoteCoreUrl, resetConfig } from "./config.ts";
export type {
  IConfig,
  IRemoteConfig,
  ITagNames,
  IWritableConfig,
  IWritableRemoteConfig,
  IWritableTagNames,
  RemoteToken,
} from "./config-types.ts";
export type { AiAgentMarkup, AiMessageMarkup } from "./markup.ts";
export type { AiElementTagNameMap } from "./tag-names.ts";
