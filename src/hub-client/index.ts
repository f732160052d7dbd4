export { connectHub } from "./connect-hub.ts";
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
