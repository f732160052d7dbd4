export { CallSummary } from "./doors/read/call-summary.ts";
export type { SummaryOfCalls } from "./doors/read/call-summary.ts";
export { rewritingsOf } from "./doors/mcp/fitted-tools.ts";
export type { Rewriting } from "./doors/mcp/fitted-tools.ts";
export type { AiOptions } from "./options/ai-options.ts";
export { followAudit, newestIn, readAudit } from "./audit/follow-audit.ts";
export type { AuditFilter } from "./audit/follow-audit.ts";
export { closeWith } from "./sockets/closing.ts";
export { createHub } from "./create-hub.ts";
export type { Hub } from "./create-hub.ts";
export type { MountShell, ShellDoor, ShellHost, ShellInfo, ShellPass, ShellVisit } from "./terminals/shell-door.ts";
export { signAgentToken, signPageToken, signTerminalToken } from "./guard/tokens.ts";
export type { Log, LogRecord } from "./common/log.ts";
export type { HubOptions, JwtOptions } from "./options/options.ts";
export type { ProviderOptions, TeamOptions } from "./options/team-options.ts";
export { parsePolicy } from "../policy/index.ts";
export type { Policy } from "../policy/index.ts";
export { createChainCheck, newConversationId, openAudit, openStore, openStoreTools } from "./store/index.ts";
export type {
  AuditKind,
  AuditReader,
  AuditRecord,
  ChainProblem,
  KeptAuditRecord,
  Store,
  StoreOptions,
  StoreTools,
} from "./store/index.ts";
export type { NewTerminal, TerminalInfo, Terminals } from "./terminals/terminals.ts";
export { version } from "./common/version.ts";
