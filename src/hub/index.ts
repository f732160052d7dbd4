export type { AiOptions, HubTool } from "./options/ai-options.ts";
export { closeWith } from "./sockets/closing.ts";
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
} from "./terminals/shell-door.ts";
export type { Admitted } from "./identity/admitted.ts";
export { signAgentToken, signPageToken, signTerminalToken } from "./guard/tokens.ts";
export type { PageTokenOptions, TerminalTokenOptions, TokenOptions } from "./guard/tokens.ts";
export type { Revocations } from "./identity/revocations.ts";
export type { Log, LogRecord } from "./common/log.ts";
export { defaultPort } from "./options/options.ts";
export type { AuditOptions, HubOptions, JwtOptions } from "./options/options.ts";
export type { Certificate } from "./options/reach.ts";
export { parsePolicy } from "../policy/index.ts";
export type { Policy, PolicyRule } from "../policy/index.ts";
export { routes } from "./http/routes.ts";
export type { Access, Route } from "./http/routes.ts";
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
export { version } from "./common/version.ts";
