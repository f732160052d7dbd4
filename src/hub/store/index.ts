export { createFileStore } from "./file-store.ts";
export type { FileStoreOptions } from "./file-store.ts";
export { createMemoryStore } from "./memory-store.ts";
export type { MemoryStoreOptions } from "./memory-store.ts";
export { readRecords } from "./read-records.ts";
export { isConversationId, newConversationId } from "./store.ts";
export type {
  ConversationChange,
  ConversationInfo,
  ConversationKey,
  Store,
  StoredConversation,
  StoredRecord,
} from "./store.ts";
