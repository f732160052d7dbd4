// What the package publishes as pagewire/hub-client. What only rooms of this repository need is in index.ts.
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
