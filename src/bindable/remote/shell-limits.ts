import { fillInLimits, pageLimits } from "../../wire/index.ts";

/** Every bound that a shell puts on its clients. Times are milliseconds. */
export const defaultShellLimits = {
  /** How deep a value may nest, and how many characters and values it may hold. */
  jsonDepth: pageLimits.jsonDepth,
  valueSize: 32 * 1024 * 1024,
  /** Commands of one client that run, or whose outcome it has not taken. */
  commandsInFlight: 64,
  /** Answers that may wait for a client that does not read, before it is let go. */
  unreadAnswers: 1024,
  /** Max buffered bytes of a socket before changes are held back, and merged until there is room. */
  bufferedBytes: 1024 * 1024,
  /** How often a socket that has too many is looked at again. */
  bufferedPause: 50,
  /** Messages that may come before the session is open. */
  earlyMessages: 256,
  /** Clients of one session, and sessions of one principal. */
  clientsPerSession: 16,
  sessionsPerPrincipal: 64,
  /** How long a client that promised signs of life may be silent: hidden pages run their timers once a minute. */
  silence: 150_000,
} as const;

export type ShellLimits = { readonly [Name in keyof typeof defaultShellLimits]: number };

/** Fills in the defaults; throws for an unknown limit or one that is not a number of zero or more. */
export function resolveShellLimits(given: Partial<ShellLimits> = {}): ShellLimits {
  return fillInLimits(defaultShellLimits, given);
}
