export type { ShareCalls } from "./call-budget.ts";
export { createCallEnds } from "./call-ends.ts";
export type { OnEnded, OnQuestion } from "./call-ends.ts";
export { createKeptBytes } from "./kept-bytes.ts";
export { createInParts } from "./result-parts.ts";
export { readableSchema } from "./readable-item.ts";
export type {
  Aim,
  Call,
  CallAnswer,
  CallHandle,
  CallListener,
  CallRequest,
  CallTimes,
  Delivery,
  InPageQuestions,
  Route,
  TabIdentity,
} from "./types.ts";
export type { KeyLedger, KeyUse, UsedKey } from "./key-ledger.ts";
export { otherOffers } from "./other-offers.ts";
export { createPolicyGate } from "./policy-gate.ts";
export type { PolicyGate } from "./policy-gate.ts";
export type { Principal } from "./principal.ts";
export { createReturns } from "./returns.ts";
export type { Returns } from "./returns.ts";
export { overviewOf } from "./overview.ts";
export type { Overview, TabConnection } from "./overview.ts";
export type { PinnedPlace, Pins } from "./tab-offers.ts";
export { createSwitchboard } from "./switchboard.ts";
export type { AgentIdentity, AgentSession, Switchboard, SwitchboardCounts } from "./switchboard.ts";
export type { PageGreeting, RemovedTab, TabSession } from "./tab-keeper.ts";
export { createWrittenKeys } from "./written-keys.ts";
