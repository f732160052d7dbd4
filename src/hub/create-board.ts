// The switchboard of a hub, with everything that only a hub's switchboard has: stored keys, policy, pins, audit.
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
} from "../switchboard/index.ts";
import type { Returns, Switchboard } from "../switchboard/index.ts";
import type { CallPolicy } from "../policy/index.ts";
import type { Limits, OnOver } from "../wire/index.ts";
import type { Pins } from "./approvals/pins.ts";
import type { Audit } from "./audit/audit.ts";
import type { HubClock } from "./serving/hub-clock.ts";
import type { Store } from "./store/index.ts";

export interface BoardOptions {
  readonly clock: HubClock;
  readonly limits: Limits;
  readonly newId: () => string;
  readonly store: Store;
  /** When an earlier run ended, in milliseconds since 1970. */
  readonly lastRun: number | undefined;
  readonly policy: CallPolicy;
  readonly pins: Pins;
  readonly audit: Pick<Audit, "onEnded" | "onQuestion">;
  readonly onOver: OnOver;
}

export function createBoard(options: BoardOptions): Switchboard {
  const { clock, limits, newId, store, lastRun, policy, pins, audit, onOver } = options;
  return createSwitchboard({
    ...{ clock, newId, isoTime, limits, pins, onOver },
    returns: lastRun === undefined ? undefined : returnsOf(lastRun, limits, store),
    keys: store.keys && createWrittenKeys(store.keys),
    parts: createInParts(limits),
    others: otherOffers,
    ends: createCallEnds(audit.onEnded, audit.onQuestion),
    kept: createKeptBytes(limits.keyBytesInAll, onOver),
    gate: createPolicyGate({ policy, clock, limits }),
  });
}

function returnsOf(lastRun: number, limits: Limits, { keys }: Store): Returns {
  // Never in the future, even if the clock was set back.
  const ago = Math.max(0, Date.now() - lastRun);
  const keysAreKnown = keys !== undefined && !keys.isNew;
  return createReturns({ clock: systemClock, limits, earlierEnd: systemClock.now() - ago, keysAreKnown });
}

const startedAt = Date.now() - systemClock.now();

function isoTime(at: number): string {
  return new Date(startedAt + at).toISOString();
}
