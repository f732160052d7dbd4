export type { AiOptions, HubTool } from "./ai-options.ts";
export { closeWith } from "./closing.ts";
export { createHub } from "./create-hub.ts";
export type { Hub } from "./create-hub.ts";
export type {
  MountShell,
  ShellDoor,
  ShellHost,
  ShellOptions,
  ShellPass,
  ShellProof,
  ShellVisit,
} from "./doors/shell/shell-door.ts";
export type { Admitted } from "./guard/admitted.ts";
export { signAgentToken, signPageToken, signTerminalToken } from "./guard/tokens.ts";
export type { PageTokenOptions, TerminalTokenOptions, TokenOptions } from "./guard/tokens.ts";
export type { Revocations } from "./guard/revocations.ts";
export type { Log, LogRecord } from "./log.ts";
export { defaultPort } from "./options.ts";
export type { AuditOptions, HubOptions, JwtOptions } from "./options.ts";
export type { Certificate } from "./reach.ts";
export { parsePolicy } from "../policy/index.ts";
export type { Policy, PolicyRule } from "../policy/index.ts";
export { routes } from "./routes.ts";
export type { Access, Route } from "./routes.ts";
export {
  createChainCheck,
  createMemoryStore,
  isConversationId,
  newConversationId,
  openAudit,
  openStore,
  openStoreTools,
  verifyChain,
} from "./store/index.ts";
export type {
  AuditKind,
  AuditQuery,
  AuditReader,
  AuditRecord,
  ChainBounds,
  ChainCheck,
  ChainProblem,
  ConversationChange,
  ConversationInfo,
  ConversationKey,
  ExportLine,
  KeptAuditRecord,
  KeyLedger,
  KeyUse,
  MemoryStoreOptions,
  Pruned,
  RecordKind,
  Store,
  StoredConversation,
  StoredRecord,
  StoreHealth,
  StoreOptions,
  StoreStatus,
  StoreTools,
  TablesStatus,
  TableStatus,
  UsedKey,
} from "./store/index.ts";
export type { NewTerminal, TerminalInfo, TerminalOptions, Terminals } from "./terminals/terminals.ts";
export { version } from "./version.ts";
