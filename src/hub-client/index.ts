export { connectHub } from "./connect-hub.ts";
export { createDelegate } from "./delegate/create-delegate.ts";
export { DelegateError } from "./delegate/delegate.ts";
export type { Delegate, DelegateOptions, DelegateResult } from "./delegate/delegate.ts";
export { proveHub } from "./prove-hub.ts";
export type { ProvenHub, ProveHubOptions } from "./prove-hub.ts";
export type {
  AskHandler,
  CallLog,
  CallProgress,
  ConnectHubOptions,
  DelegateFetch,
  HubCall,
  HubClient,
  HubClientOptions,
  HubClientState,
  HubOutcome,
} from "./hub-client.ts";
