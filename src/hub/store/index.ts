export { createChainCheck, verifyChain } from "./audit-chain.ts";
export type { ChainProblem } from "./audit-chain.ts";
export { createLater } from "./later.ts";
export type { Later } from "./later.ts";
export { createMemoryStore } from "./memory-store.ts";
export { openAudit } from "./open-audit.ts";
export type { AuditReader } from "./open-audit.ts";
export { openStoreTools } from "./open-store-tools.ts";
export type { StoreTools } from "./open-store-tools.ts";
export { openStore } from "./open-store.ts";
export type { StoreOptions } from "./open-store.ts";
export { createPrincipalRecords } from "./principal-records.ts";
export type { RecordStore } from "./principal-records.ts";
export { reasonWords } from "./reason-words.ts";
export { watchStore } from "./watch-store.ts";
export { isConversationId, newConversationId } from "./store.ts";
export type {
  AuditKind,
  AuditQuery,
  AuditRecord,
  ConversationKey,
  KeptAuditRecord,
  Store,
  StoredConversation,
  StoredRecord,
  StoreHealth,
  Undigested,
} from "./store.ts";
