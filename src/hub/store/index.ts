export { createChainCheck, verifyChain } from "./port/audit-chain.ts";
export type { ChainProblem } from "./port/audit-chain.ts";
export { changeRecord } from "./change-record.ts";
export { conversationsOf, removeConversation } from "./conversations-of.ts";
export { hubsKeyName, openHubsKey } from "./hubs-key.ts";
export { createLater } from "./later.ts";
export type { Later } from "./later.ts";
export { createMemoryStore } from "./memory-store.ts";
export { openAudit } from "./open-store-tools.ts";
export type { AuditReader } from "./open-store-tools.ts";
export { openStoreTools } from "./open-store-tools.ts";
export type { StoreTools } from "./open-store-tools.ts";
export { openStore } from "./open-store.ts";
export type { StoreOptions } from "./open-store.ts";
export { createPrincipalRecords } from "./principal-records.ts";
export type { PrincipalRecords, RecordStore } from "./principal-records.ts";
export { reasonWords } from "./port/store.ts";
export { watchStore } from "./watch-store.ts";
export { homeOf, isConversationId, isElsewhere, newConversationId, nobody } from "./port/store.ts";
export type {
  AuditKind,
  AuditQuery,
  AuditRecord,
  CallSteps,
  ConversationKey,
  HomeStore,
  KeptAuditRecord,
  RecordChange,
  Store,
  StoredConversation,
  StoredRecord,
  StoreHealth,
  StepSpan,
  Undigested,
} from "./port/store.ts";
