// The exports of pagewire/hub. Exports for other rooms of this repository are in index.ts.
export {
  createHub,
  openAudit,
  openStore,
  parsePolicy,
  signAgentToken,
  signPageToken,
  signTerminalToken,
} from "./index.ts";
export type { AiOptions, Hub, HubOptions, Log, LogRecord, MountShell, Policy, Store, StoreOptions } from "./index.ts";
