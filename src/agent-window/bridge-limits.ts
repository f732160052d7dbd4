const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Every limit of a bridge, by name. Times are milliseconds. */
export const bridgeLimits = {
  /** Messages that may wait for the agent's window to answer. */
  waitingMessages: 100,
  /** Calls that may run at one time. */
  runningCalls: 128,
  /** Timeout of a call without a deadline of the agent's. */
  callTime: 10 * MINUTE,
  /** Calls that are remembered after they ran, and for how long, so that none runs twice. */
  knownCalls: 1000,
  knownTime: 10 * MINUTE,
  /** Characters of their outcomes, together. If the outcome was evicted, it is still known that the call ran. */
  outcomeCharacters: 16_000_000,
} as const;
