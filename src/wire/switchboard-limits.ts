import { fillInLimits, pageLimits } from "./page-limits.ts";

const MIB = 1024 * 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/**
 * The limits of a switchboard, also one in a worker: a part of `defaultLimits`.
 */
export const switchboardLimits = {
  ...pageLimits,
  /** Tabs of one principal. */
  tabsPerPrincipal: 1000,
  /**
   * Things that the tabs of one principal may offer together, and the bytes of their text, equal offers counted once; its
   * agent's windows may have as many bytes. And the bytes of all principals.
   */
  offersPerPrincipal: 10_000,
  offeredBytesPerPrincipal: 8 * MIB,
  offeredBytesInAll: 64 * MIB,
  /** Calls in flight in one tab. */
  callsPerTab: 128,
  /** Calls in flight of one agent, and of all agents of a principal; and the bytes of their arguments. */
  callsPerAgent: 512,
  callsPerPrincipal: 2048,
  callBytesPerPrincipal: 32 * MIB,
  /** Calls of one principal per second, and the burst after a pause. */
  callRatePerPrincipal: 2000,
  callBurstPerPrincipal: 10_000,
  /**
   * Channels on one link, and bytes queued in it for a peer that does not read, of all channels together: at least twice
   * `frameBytes`, since no channel may use more of it than it leaves free.
   */
  channelsPerLink: 256,
  sharedBytes: 128 * MIB,
  /** Default and max timeout of a call. */
  callTime: MINUTE,
  callTimeMost: 15 * MINUTE,
  /** How often a hub sends heartbeats to a page's script. */
  heartbeatTime: 15 * SECOND,
  /** How long a tab that went away keeps its tools listed and its calls waiting. */
  graceTime: 5 * SECOND,
  /** How long a restarted hub waits for the tabs of its earlier run before it refuses a call that lacks one. */
  returnTime: 5 * SECOND,
  /**
   * How long, and in how much memory, the outcome of a keyed call is kept: of one principal, and of all. The oldest of the
   * principal with the most is evicted; while only running calls are left, further keyed calls are refused.
   */
  keyTime: 10 * MINUTE,
  keyBytes: 64 * MIB,
  keyBytesInAll: 128 * MIB,
  /** Keys that are known to be used up after their outcome was dropped. */
  expiredKeys: 100_000,
  /** How long a call whose caller was cut off waits for an equal call of that caller before it is aborted; zero aborts at once. */
  cutTime: 2 * SECOND,
  /** Delay before a call starts that equals one in flight, so that a pending disconnect is noticed first; zero disables it. */
  twinPause: 10,
  /** How long after the cut an equal call still gets the outcome; zero runs it. */
  twinTime: 10 * SECOND,
  /** How long a call with progress may be silent before the hub reports that it still runs. */
  progressTime: 10 * SECOND,
  /** Resources that one MCP session may subscribe to. */
  mcpSubscriptions: 1000,
  /** List changes within this time are announced together, and so are events of calls to watching agents. */
  changesTime: 100,
} as const;

/** The limits of a switchboard in force, by the names of `switchboardLimits`. */
export type SwitchboardLimits = { readonly [Name in keyof typeof switchboardLimits]: number };

/** Fills in defaults, and drops the limits of other parts. Refuses one that is not a number of zero or more. */
export function resolveSwitchboardLimits(given: Partial<SwitchboardLimits> = {}): SwitchboardLimits {
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(switchboardLimits, name));
  return fillInLimits<keyof SwitchboardLimits>(switchboardLimits, Object.fromEntries(own));
}
