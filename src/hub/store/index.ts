export { createLater } from "./later.ts";
export type { Later } from "./later.ts";
export { createPrincipalRecords } from "./principal-records.ts";
export { watchStore } from "./watch-store.ts";
export { createFileStore } from "./file-store.ts";
export type { FileStoreOptions } from "./file-store.ts";
export { createMemoryStore } from "./memory-store.ts";
export type { MemoryStoreOptions } from "./memory-store.ts";
export { reasonWords } from "./reason-words.ts";
export { isConversationId, newConversationId } from "./store.ts";
export type {
  ConversationChange,
  ConversationInfo,
  ConversationKey,
  Store,
  StoreHealth,
  StoredConversation,
  StoredRecord,
} from "./store.ts";
