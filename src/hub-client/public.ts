// The exports of pagewire/hub-client. Exports for this repository only are in index.ts.
export { connectHub, createDelegate, DelegateError, proveHub } from "./index.ts";
export type {
  Delegate,
  DelegateOptions,
  DelegateResult,
  HubCall,
  HubClient,
  HubClientOptions,
  HubClientState,
  HubOutcome,
  ProvenHub,
} from "./index.ts";
