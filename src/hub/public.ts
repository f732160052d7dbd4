// What the package publishes as pagewire/hub. What only rooms of this repository need is in index.ts.
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
