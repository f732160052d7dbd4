const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Every bound of a bridge, by name. Times are milliseconds. */
export const bridgeLimits = {
  /** Messages that may wait for the agent's window to answer. */
  waitingMessages: 100,
  /** Calls that may run at one time. */
  runningCalls: 128,
  /** How long a call may take when the agent does not say. */
  callTime: 10 * MINUTE,
  /** How many calls are known after they ran, and for how long, so that none runs twice. */
  knownCalls: 1000,
  knownTime: 10 * MINUTE,
  /** Characters of their outcomes, together. Of a call whose outcome had to go it is still known that it ran. */
  outcomeCharacters: 16_000_000,
} as const;
