export { answer, dispatch } from "./engine.ts";
export type { ListReading, Methods, Peer, Reply } from "./engine.ts";
export { beginCall, cancelCall, lostOutcome, olderResult, resultOf, rpcErrorOf, withText } from "./calls.ts";
export { listen, parseFollowed, parseListen, readerOf, watchLists, watchUpdates } from "./listen.ts";
export {
  hubCapabilities,
  inNewestForm,
  inOlderForm,
  isWrappedFor,
  newestMethods,
  olderMethods,
} from "./hub-methods.ts";
export type { ClientInSession, HubPeer } from "./hub-methods.ts";
export { asksOf, beginInSession, checkCapabilities, takeResponse } from "./questions.ts";
export {
  batchesEnd,
  claimIn,
  complete,
  discoverResult,
  givenKey,
  initializeResult,
  isLogLevel,
  namedCall,
  newestVersion,
  olderVersions,
  parseEnvelope,
  parseInitialize,
  subscriptionMark,
  traceOf,
  uncached,
  wrong,
} from "./messages.ts";
export type { ClientName, ClientWords, ServerWords } from "./messages.ts";
export { createRounds } from "./rounds.ts";
export type { RoundsPeer, Seal } from "./rounds.ts";
export { RpcError, errorAnswer, parseRpc } from "./messages.ts";
export type { Incoming, Request, RequestId } from "./messages.ts";
