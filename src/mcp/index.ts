export type { Exchange, Reply } from "./engine.ts";
export { cancelCall } from "./calls.ts";
export { listen, parseListen, watch } from "./listen.ts";
export {
  answer,
  dispatch,
  hubCapabilities,
  inNewestForm,
  inOlderForm,
  isWrappedFor,
  newestMethods,
  olderMethods,
} from "./methods.ts";
export type { ClientInSession, HubPeer } from "./methods.ts";
export { beginInSession, takeResponse } from "./questions.ts";
export {
  batchesEnd,
  claimIn,
  initializeResult,
  newestVersion,
  olderVersions,
  parseEnvelope,
  parseInitialize,
} from "./messages.ts";
export type { ClientName, ClientWords, ServerWords } from "./messages.ts";
export { createRounds } from "./rounds.ts";
export type { Rounds, RoundsPeer, Seal } from "./rounds.ts";
export { RpcError, errorAnswer, parseRpc } from "./messages.ts";
export type { Incoming, Request, RequestId } from "./messages.ts";
