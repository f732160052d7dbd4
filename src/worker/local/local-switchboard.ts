import type { Clock } from "../../link/index.ts";
import type { Switchboard } from "../../switchboard/index.ts";
import type { SwitchboardLimits, OnError } from "../../wire/index.ts";

/** The worker's switchboard, and what it takes to attach pages and agents to it. */
export interface LocalSwitchboard {
  readonly switchboard: Switchboard;
  readonly clock: Clock;
  /** A number from zero up to one, such as `Math.random`. */
  readonly random: () => number;
  readonly newId: () => string;
  readonly limits: SwitchboardLimits;
  /** The origin of this worker and all its pages. */
  readonly origin: string;
  readonly onError: OnError;
}
