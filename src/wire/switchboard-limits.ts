import { fillInLimits, pageLimits } from "./page-limits.ts";

const MIB = 1024 * 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/**
 * The bounds that a switchboard keeps, and a worker that has one. They are a part of `defaultLimits`, which has them all.
 */
export const switchboardLimits = {
  ...pageLimits,
  /** Tabs of one principal. */
  tabsPerPrincipal: 1000,
  /**
   * How many things the tabs of one principal may offer together, and in how many bytes of text, equal offers counted once;
   * its agent's windows may bring as many bytes. And the same bytes of all principals.
   */
  offersPerPrincipal: 10_000,
  offeredBytesPerPrincipal: 8 * MIB,
  offeredBytesInAll: 64 * MIB,
  /** Calls in flight on one tab. */
  callsPerTab: 128,
  /** Calls in flight for one agent, and for all agents of a principal; and how many bytes of arguments these may have. */
  callsPerAgent: 512,
  callsPerPrincipal: 2048,
  callBytesPerPrincipal: 32 * MIB,
  /** Calls of one principal a second, and how many may come at once after a pause. */
  callRatePerPrincipal: 2000,
  callBurstPerPrincipal: 10_000,
  /**
   * Channels on one link, and bytes waiting in it for a peer that does not read, of all of them together: at least twice
   * `frameBytes`, since no channel has more of it than it leaves free.
   */
  channelsPerLink: 256,
  sharedBytes: 128 * MIB,
  /** How long a call may take when its caller does not say, and at most. */
  callTime: MINUTE,
  callTimeMost: 15 * MINUTE,
  /** How often a hub asks a page's script for a sign of life. */
  heartbeatTime: 15 * SECOND,
  /** How long a tab that went away keeps its tools listed and its calls waiting. */
  graceTime: 5 * SECOND,
  /** How long a hub that was started again waits for the tabs of its earlier run, before a call is refused for want of one. */
  returnTime: 5 * SECOND,
  /**
   * How long, and in how much memory, the outcome of a keyed call is kept: of one principal, and of all. The oldest makes
   * room, of the principal with the most; where only calls that run are left, another with a key is refused.
   */
  keyTime: 10 * MINUTE,
  keyBytes: 64 * MIB,
  keyBytesInAll: 128 * MIB,
  /** How many keys are still known to be used up after their outcome was dropped. */
  expiredKeys: 100_000,
  /** How long a call whose caller was cut off waits for an equal call of that caller before it is aborted; zero aborts at once. */
  cutTime: 2 * SECOND,
  /** Delay before a call starts that equals one in flight, so that a pending disconnect is noticed first; zero disables it. */
  twinPause: 10,
  /** How long after the cut an equal call still gets the outcome; zero runs it. */
  twinTime: 10 * SECOND,
  /** How long a call that a client wants to hear of may be silent before the hub tells that it still runs. */
  progressTime: 10 * SECOND,
  /** Resources that one MCP session may subscribe to. */
  mcpSubscriptions: 1000,
  /** List changes within this time are announced together, and so are the events of calls to agents that watch. */
  changesTime: 100,
} as const;

/** The bounds of a switchboard in force, by the names of `switchboardLimits`. */
export type SwitchboardLimits = { readonly [Name in keyof typeof switchboardLimits]: number };

/** Fills in what was not said, and leaves out the bounds that are others'. Refuses one that is not a number of zero or more. */
export function resolveSwitchboardLimits(given: Partial<SwitchboardLimits> = {}): SwitchboardLimits {
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(switchboardLimits, name));
  return fillInLimits<keyof SwitchboardLimits>(switchboardLimits, Object.fromEntries(own));
}
