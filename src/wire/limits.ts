import { fillInLimits } from "./page-limits.ts";
import { switchboardLimits } from "./switchboard-limits.ts";

const MIB = 1024 * 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Every limit that Pagewire sets for a peer, by name, with its default. Times are milliseconds, sizes are bytes. */
export const defaultLimits = {
  ...switchboardLimits,
  /**
   * How long the rest of a result in parts (`pagewire/maxResultBytes`) is kept, and how many characters: of one tab, and of
   * all tabs of a principal; the oldest is evicted.
   */
  partsTime: 10 * MINUTE,
  partsBytes: 4 * MIB,
  partsBytesInAll: 32 * MIB,
  /**
   * Bytes queued for peers that do not read, of one principal and in all: beyond it the peer with the most is cut off.
   * The first is at least `frameBytes`, or the largest answer could not be sent.
   */
  queuedBytesPerPrincipal: 20 * MIB,
  queuedBytesInAll: 64 * MIB,
  /**
   * Bytes of incomplete messages and requests. Of one principal the first goes on and the others queue; of all, the one with
   * the most is cut off.
   */
  arrivingBytesPerPrincipal: 8 * MIB,
  arrivingBytesInAll: 64 * MIB,
  /** Authenticated sockets of one principal; and sockets in all, with anonymous ones. */
  socketsPerPrincipal: 1500,
  socketsInAll: 20_000,
  /**
   * Anonymous sockets at one time, from one address and origin and in all; the oldest is evicted. And how long each may take
   * to authenticate, and how many bytes it may send until then.
   */
  strangerSockets: 512,
  strangerSocketsInAll: 2048,
  strangerTime: 5 * SECOND,
  strangerBytes: 128 * 1024,
  /** How long the bearer that an agent derives from the hub's proof is accepted for new requests. */
  proofTime: 10 * MINUTE,
  /** Timeout of an HTTP request's headers, and of all of it; and how long its response may go unread. */
  headersTime: 10 * SECOND,
  requestTime: MINUTE,
  /** How long an idle HTTP connection is kept: longer than clients keep theirs, which would send into its close. */
  keepAliveTime: 65 * SECOND,
  /** Unread bytes of an MCP client's call before progress and logs are dropped. */
  newsBytes: MIB,
  /** Questions of one call that may be pending at an MCP client. */
  questionsPerCall: 16,
  /**
   * Sessions of MCP clients at one time, in all and of one principal, and how long one may be idle; and open streams of one
   * principal.
   */
  mcpSessions: 1000,
  mcpSessionsPerPrincipal: 500,
  mcpStreamsPerPrincipal: 256,
  mcpSessionTime: 30 * MINUTE,
  /** How long the result of a call that changed its tab's tools waits for its client to read the list again. */
  listReadTime: 300,
  /** Events of calls sent within `changesTime` to all watching agents of a principal, counted for each. */
  watchedEvents: 3200,
  /** Max items in one answer to a list request. */
  listItems: 2000,
  /** Events that an MCP session keeps for a client whose stream broke. */
  replayEvents: 256,
  /** The bytes of these events, of a session and of all sessions of a principal. */
  replayBytes: 4 * MIB,
  replayBytesPerPrincipal: 16 * MIB,
  /** How long a session keeps each of these events. */
  replayTime: 5 * MINUTE,
  /** Conversations with a model that one principal may keep; the least recently used is evicted. */
  conversationsPerPrincipal: 1000,
  /** The size of one conversation, and of one prompt. */
  conversationBytes: 16 * MIB,
  conversationMessages: 2000,
  promptBytes: 8 * MIB,
  /** How long an unwatched conversation stays in memory; an answer that is unfinished by then is stopped. */
  conversationTime: MINUTE,
  /** Conversations of one principal in memory, and answers that its models may write at one time. */
  openConversations: 64,
  answersPerPrincipal: 8,
  /** How long a model's tool call waits for approval before it is refused. */
  approvalTime: 5 * MINUTE,
  /** Decisions about tools that are kept for one principal; the oldest is evicted. */
  consentsPerPrincipal: 1000,
  /**
   * Tools of pinned origins that are kept for one principal as first seen, and their bytes; more are not shown. As many may
   * wait for approval; the oldest is evicted.
   */
  pinsPerPrincipal: 2000,
  pinBytesPerPrincipal: 4 * MIB,
  /** Timeout of a call of a tool of the page that opened an agent's window. */
  parentCallTime: 30 * SECOND,
  /** How long a session of an agent's window is kept without a socket, and the max sessions of one principal. */
  windowTime: 10 * MINUTE,
  windowsPerPrincipal: 64,
  /** Max lifetime of a token in jwt mode. */
  tokenTime: 30 * DAY,
  /**
   * Lifetime of a code that signs in to the hub's own pages, or lets a page open terminals, and the max codes of each kind of
   * one principal.
   */
  codeTime: 10 * MINUTE,
  codesPerPrincipal: 16,
  /** Lifetime of a sign-in by such a code, and the max number of browsers; the oldest is evicted. */
  appSessionTime: 30 * 24 * 60 * MINUTE,
  appSessionsPerPrincipal: 64,
  /** The max browsers of one principal that are paired by their extension; the one that was seen least recently is evicted. */
  browsersPerPrincipal: 32,
  /** Default timeout of a tab's action for a terminal's program, and of a stream's next line. */
  delegateTime: 30 * SECOND,
  /** Terminals of one principal, and how long an unwatched terminal without calls keeps its token. */
  terminalsPerPrincipal: 32,
  terminalTime: 30 * 24 * 60 * MINUTE,
  /** Terminal output that is kept for views that come back, and that a view may leave unseen before its shell waits. */
  terminalBytes: 4 * MIB,
  terminalUnseenBytes: MIB,
  /** How long a shell waits for a view that does not read, before it goes on without it. */
  terminalPatience: 5 * SECOND,
  /** Timeout of the hub's store, and its max queue: operations, and their bytes. */
  storeTime: 10 * SECOND,
  storeOperations: 10_000,
  storeBytes: 128 * MIB,
  /** How long an unchanged conversation is kept, and the bytes of all of one principal's; the oldest is evicted. */
  conversationAge: 180 * DAY,
  conversationBytesPerPrincipal: 256 * MIB,
  /** How long a used key is known, and the max keys of one principal; after that it counts as new. */
  usedKeyTime: DAY,
  usedKeysPerPrincipal: 100_000,
  /** How long a principal's daily token usage is kept. */
  usageTime: 31 * DAY,
  /** How long the audit log is kept, and its bytes; whole days are evicted. */
  auditTime: 90 * DAY,
  auditBytes: 1024 * MIB,
  /** How long audit records are gathered before a write, and the max records that wait while writes fail. */
  auditBatchTime: 250,
  auditWaiting: 10_000,
  /** Bytes of arguments and results that the audit log digests, and that it keeps if the hub's owner wants them. */
  auditDigestBytes: 64 * 1024,
  auditContentsBytes: 4096,
  /** How often the store is pruned; zero leaves that to `pagewire store prune`. */
  pruneTime: 60 * MINUTE,
  /** How long a stopping hub lets running calls finish. */
  drainTime: 30 * SECOND,
} as const;

/** The limits in force, by the names of `defaultLimits`. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };

/** Fills in defaults; refuses a limit that is unknown or not a number of zero or more. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  return fillInLimits(defaultLimits, given);
}
