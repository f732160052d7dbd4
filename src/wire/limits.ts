const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Every bound that Pagewire puts on a peer, by name, with its default. Times are milliseconds, sizes are bytes. */
export const defaultLimits = {
  /** One frame: header and payload together. */
  frameBytes: 16 * MIB,
  /** The header line of a frame. */
  headerBytes: 16 * KIB,
  /** Nesting of any payload that is parsed. */
  jsonDepth: 64,
  /** Tools, resources, resource templates and prompts that one page may offer, together. */
  offersPerPage: 256,
  /** One input or output schema, as JSON. */
  schemaBytes: 64 * KIB,
  /** Calls in flight on one tab. */
  callsPerTab: 128,
  /** Calls in flight for one agent. */
  callsPerAgent: 512,
  /** Bytes waiting in a link for a peer that does not read. */
  queuedBytes: 32 * MIB,
  /** Channels on one link. */
  channelsPerLink: 256,
  /** Sockets that have not said who they are, at one time, and how long each may take. */
  strangerSockets: 128,
  strangerTime: 5 * SECOND,
  /** How long a call may take when its caller does not say, and at most. */
  callTime: MINUTE,
  callTimeMost: 10 * MINUTE,
  /** How often a hub asks a page's script for a sign of life. */
  heartbeatTime: 15 * SECOND,
  /** How long a tab that went away keeps its tools listed and its calls waiting. */
  graceTime: 5 * SECOND,
  /** How long, and in how much memory, the outcome of a keyed call is kept. */
  keyTime: 10 * MINUTE,
  keyBytes: 64 * MIB,
  /** How many keys are still known to be used up after their outcome was dropped. */
  expiredKeys: 100_000,
  /** How long a call whose caller was cut off waits for its twin before it is aborted; zero turns twins off. */
  cutTime: 2 * SECOND,
  /** How long after the cut a twin is still given the outcome; zero turns twins off. */
  twinTime: 10 * SECOND,
  /** List changes within this time are announced together. */
  changesTime: 100,
  /** How long a stopping hub lets running calls finish. */
  drainTime: 30 * SECOND,
} as const;

/** The bounds in force, by the names of `defaultLimits`. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };

/** Fills in what was not said; refuses a bound that is unknown or not a number of zero or more. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultLimits, name)) throw new RangeError(`There is no limit named "${name}".`);
    if (typeof value !== "number" || !(value >= 0)) {
      throw new RangeError(`The limit "${name}" must be a number of zero or more, not ${String(value)}.`);
    }
  }
  return { ...defaultLimits, ...given };
}
