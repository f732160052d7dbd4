export { connectHub } from "./connect-hub.ts";
export { createDelegate } from "./delegate/create-delegate.ts";
export { DelegateError } from "./delegate/delegate.ts";
export type {
  Delegate,
  DelegateAction,
  DelegateActions,
  DelegateCallOptions,
  DelegateFetch,
  DelegateOptions,
  DelegateResponse,
  DelegateResult,
  DelegateTab,
} from "./delegate/delegate.ts";
export type {
  AskHandler,
  CallLog,
  CallProgress,
  ConnectHubOptions,
  HubCall,
  HubClient,
  HubClientOptions,
  HubClientState,
  HubOutcome,
} from "./hub-client.ts";
