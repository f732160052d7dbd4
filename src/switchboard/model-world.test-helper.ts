// Shared types of a simulated world.
import type { createFakeClock } from "../testing/index.ts";
import type { Behaviour, History } from "./model-history.test-helper.ts";
import type { SimulatedLedger } from "./model-ledger.test-helper.ts";
import type { Chaos, SimulatedLink } from "./model-network.test-helper.ts";
import type { Planted } from "./model-planted.test-helper.ts";

/** The authenticated identity of a tab. */
export interface TabProfile {
  readonly principal: string;
  readonly origin: string;
  readonly app: string;
}

export interface World {
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly random: (below: number) => number;
  readonly chaos: Chaos;
  readonly history: History;
  /** Undefined if keys are only in a hub's memory. */
  readonly ledger: SimulatedLedger | undefined;
  readonly planted: Planted | undefined;
  /** A link to the current hub, and which hub that is; undefined if there is none. */
  connect(
    profile: TabProfile,
    onSend: (type: string) => void,
  ): { readonly link: SimulatedLink; readonly hub: number } | undefined;
  behaviourOf(operation: string): Behaviour;
}

/** Pseudorandom numbers, the same for the same seed. */
export function createRandom(seed: number): World["random"] {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
