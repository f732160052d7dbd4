export type { AiOptions, HubTool } from "./ai-options.ts";
export { createHub } from "./create-hub.ts";
export type { Hub } from "./create-hub.ts";
export { signAgentToken, signPageToken } from "./guard/tokens.ts";
export type { PageTokenOptions, TokenOptions } from "./guard/tokens.ts";
export type { Log, LogRecord } from "./log.ts";
export { defaultPort } from "./options.ts";
export type { HubOptions, JwtOptions } from "./options.ts";
export { routes } from "./routes.ts";
export type { Access, Route } from "./routes.ts";
export { createFileStore, createMemoryStore, isConversationId, newConversationId } from "./store/index.ts";
export type {
  ConversationChange,
  ConversationInfo,
  ConversationKey,
  FileStoreOptions,
  MemoryStoreOptions,
  Store,
  StoredConversation,
} from "./store/index.ts";
export { version } from "./version.ts";
