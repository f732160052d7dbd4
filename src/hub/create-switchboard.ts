// The switchboard of a hub, with everything that only a hub's switchboard has: stored keys, policy, pins, audit, traces.
import { systemClock } from "../link/index.ts";
import {
  createCallEnds,
  createInParts,
  createKeptBytes,
  createPolicyGate,
  createReturns,
  createSwitchboard,
  createWrittenKeys,
  otherOffers,
  overviewOf,
} from "../switchboard/index.ts";
import type { OnEnded, Returns, Switchboard } from "../switchboard/index.ts";
import type { CallPolicy } from "../policy/index.ts";
import type { Limits } from "../wire/index.ts";
import { createPins } from "./approvals/pins.ts";
import type { Pins } from "./approvals/pins.ts";
import type { Audit } from "./audit/audit.ts";
import type { Joining } from "./cluster/join-cluster.ts";
import type { Metrics } from "./common/metrics.ts";
import type { ResolvedOptions } from "./options/options.ts";
import type { HubClock } from "./serving/hub-clock.ts";
import type { Later, Store } from "./store/index.ts";
import type { Shares } from "./team/shares.ts";
import type { Tracing } from "./tracing/create-tracing.ts";
import { traceCalls } from "./tracing/trace-calls.ts";
import { createPageQuestions, listCallersQuestions } from "./waits/call-waits.ts";
import { createPinWaits } from "./waits/other-waits.ts";
import type { Waits } from "./waits/wait.ts";

export interface HubSwitchboardOptions {
  readonly options: ResolvedOptions;
  readonly clock: HubClock;
  readonly newId: () => string;
  readonly store: Store;
  readonly later: Later;
  readonly policy: CallPolicy;
  readonly audit: Audit;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly waits: Waits;
  /** For a hub that is one of several. */
  readonly joining: Joining | undefined;
  /** In team mode. */
  readonly shares: Shares | undefined;
}

export interface HubSwitchboard {
  readonly switchboard: Switchboard;
  readonly pins: Pins;
}

export function createHubSwitchboard(parts: HubSwitchboardOptions): HubSwitchboard {
  const { options, clock, newId, store, later, policy, audit, metrics, tracing, waits, joining, shares } = parts;
  const { limits, lastRun } = options;
  const onOver = metrics.overBudget;
  const pins = createPins({
    ...{ store, later, limits, now: Date.now, record: audit.record },
    isPinned: (origin, principal) => options.pin || policy.isPinned(origin, principal),
    onNotSaved: () => metrics.notSaved("pin"),
    changed: (principal) => switchboard.review(principal),
    onWaiting: waits.changed.bind(waits),
  });
  waits.addSource(createPinWaits(pins, waits));
  const inPage = createPageQuestions(waits);
  const onEnded: OnEnded = (asked, outcome, call) => {
    audit.onEnded(asked, outcome, call);
    // One caller of several may have left a call that goes on.
    if (call?.phase === "ended") inPage.ended(call);
  };
  const returns = lastRun === undefined ? undefined : returnsOf(lastRun, limits, store);
  const ledger = store.keys && joining ? joining.ledger(store.keys) : store.keys;
  const byPolicy = createPolicyGate({ policy, clock, limits });
  const gate = shares?.gate(byPolicy) ?? byPolicy;
  const switchboard = createSwitchboard({
    ...{ clock, newId, isoTime, limits, pins, onOver },
    returns: joining ? joining.returns(returns ?? noReturns(limits)) : returns,
    keys: ledger && createWrittenKeys(ledger),
    parts: createInParts(limits),
    others: otherOffers,
    overviewOf,
    ends: { ...createCallEnds(onEnded, audit.onQuestion, clock.now), inPage: inPage.take },
    kept: createKeptBytes(limits.keyBytesInAll, onOver),
    gate: joining ? joining.gate(gate) : gate,
    share: joining?.calls,
    began: shares?.follow,
  });
  const traced = tracing ? traceCalls(switchboard, tracing) : switchboard;
  return { switchboard: listCallersQuestions(traced, waits), pins };
}

function returnsOf(lastRun: number, limits: Limits, { keys }: Store): Returns {
  // Never in the future, even if the clock was set back.
  const ago = Math.max(0, Date.now() - lastRun);
  const keysAreKnown = keys !== undefined && !keys.isNew;
  return createReturns({ clock: systemClock, limits, earlierEnd: systemClock.now() - ago, keysAreKnown });
}

/** Of a hub without an earlier run. */
function noReturns(limits: Limits): Returns {
  return createReturns({ clock: systemClock, limits, earlierEnd: -Infinity, keysAreKnown: true });
}

const startedAt = Date.now() - systemClock.now();

function isoTime(at: number): string {
  return new Date(startedAt + at).toISOString();
}
