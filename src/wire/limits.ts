import { fillInLimits } from "./page-limits.ts";
import { switchboardLimits } from "./switchboard-limits.ts";

const MIB = 1024 * 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Every bound that Pagewire puts on a peer, by name, with its default. Times are milliseconds, sizes are bytes. */
export const defaultLimits = {
  ...switchboardLimits,
  /**
   * How long the rest of a result is kept that is given in parts (`pagewire/maxResultBytes`), and in how many characters:
   * of one tab, and of all tabs of a principal; the oldest makes room.
   */
  partsTime: 10 * MINUTE,
  partsBytes: 4 * MIB,
  partsBytesInAll: 32 * MIB,
  /**
   * Bytes waiting for peers that do not read them, of one principal and in all: beyond it the one with the most is cut off.
   * The first is at least `frameBytes`, or nobody would get the largest of answers.
   */
  queuedBytesPerPrincipal: 20 * MIB,
  queuedBytesInAll: 64 * MIB,
  /**
   * Bytes of messages and requests that have not come whole. Of one principal the first goes on and the others wait their
   * turn; of all, the one with the most is cut off.
   */
  arrivingBytesPerPrincipal: 8 * MIB,
  arrivingBytesInAll: 64 * MIB,
  /** Sockets of those who said who they are: of one principal; and sockets in all, strangers among them. */
  socketsPerPrincipal: 1500,
  socketsInAll: 20_000,
  /**
   * Sockets that have not said who they are, at one time, from one address and origin and in all; the oldest makes room.
   * And how long each may take, and how much it may send until then.
   */
  strangerSockets: 512,
  strangerSocketsInAll: 2048,
  strangerTime: 5 * SECOND,
  strangerBytes: 128 * 1024,
  /** How long what an agent brings instead of its token, after the hub has proved itself, lets in new requests. */
  proofTime: 10 * MINUTE,
  /** How long the headers of an HTTP request may take to come, and all of it; and how long its answer may go unread. */
  headersTime: 10 * SECOND,
  requestTime: MINUTE,
  /** How long an HTTP connection without a request is kept: longer than clients keep theirs, who would send into its end. */
  keepAliveTime: 65 * SECOND,
  /** How much an MCP client may leave unread of what it is told of its call, before progress and logs are left out. */
  newsBytes: MIB,
  /** Questions of one call that may wait for an answer of an MCP client's at one time. */
  questionsPerCall: 16,
  /**
   * Sessions of MCP clients at one time, in all and of one principal, and how long one may be idle; and streams of one
   * principal that stay open.
   */
  mcpSessions: 1000,
  mcpSessionsPerPrincipal: 500,
  mcpStreamsPerPrincipal: 256,
  mcpSessionTime: 30 * MINUTE,
  /** How many events of calls are sent within `changesTime` to all agents of a principal that watch, counted for each. */
  watchedEvents: 3200,
  /** How many items one answer to a list request holds. */
  listItems: 500,
  /** How many of its last events an MCP session keeps, for a client whose stream broke. */
  replayEvents: 256,
  /** In how much memory a session keeps them, and all sessions of a principal. */
  replayBytes: 4 * MIB,
  replayBytesPerPrincipal: 16 * MIB,
  /** How long a session keeps each of them. */
  replayTime: 5 * MINUTE,
  /** Conversations with a model that one principal may keep; the one that was not used for longest makes room. */
  conversationsPerPrincipal: 1000,
  /** How large one conversation, and one prompt, may be. */
  conversationBytes: 16 * MIB,
  conversationMessages: 2000,
  promptBytes: 8 * MIB,
  /** How long a conversation that nobody looks at stays in memory; an answer that is not done by then is stopped. */
  conversationTime: MINUTE,
  /** Conversations of one principal in memory, and answers that its models may write, at one time. */
  openConversations: 64,
  answersPerPrincipal: 8,
  /** How long a tool call of a model waits for somebody to allow it, before it is refused. */
  approvalTime: 5 * MINUTE,
  /** How many decisions about tools are kept of one principal; the oldest makes room. */
  consentsPerPrincipal: 1000,
  /**
   * How many tools of pinned origins are kept of one principal as they were first seen, and in how many bytes; more are not
   * shown. As many may wait to be accepted; the oldest makes room.
   */
  pinsPerPrincipal: 2000,
  pinBytesPerPrincipal: 4 * MIB,
  /** How long a call of a tool of the page that opened an agent's window may take. */
  parentCallTime: 30 * SECOND,
  /** How long a session of an agent's window is kept without a socket, and how many one principal may have. */
  windowTime: 10 * MINUTE,
  windowsPerPrincipal: 64,
  /** For how long a token of jwt mode may be good, from when it was issued. */
  tokenTime: 30 * DAY,
  /**
   * How long a code is good that signs in to the hub's own pages, or lets a page open terminals, and how many of either
   * kind one principal may have.
   */
  codeTime: 10 * MINUTE,
  codesPerPrincipal: 16,
  /** How long one stays signed in by it, and in how many browsers; who came first makes room. */
  appSessionTime: 30 * 24 * 60 * MINUTE,
  appSessionsPerPrincipal: 64,
  /** How long a terminal's program waits for an action of its tab when it does not say, and a stream for its next line. */
  delegateTime: 30 * SECOND,
  /** Terminals of one principal, and how long one that nobody looks at and nothing calls from keeps its token. */
  terminalsPerPrincipal: 32,
  terminalTime: 30 * 24 * 60 * MINUTE,
  /** How much of a terminal's output is kept for views that come back, and may be unseen by a view before its shell waits. */
  terminalBytes: 4 * MIB,
  terminalUnseenBytes: MIB,
  /** How long a shell waits for a view that does not read, before it goes on without it. */
  terminalPatience: 5 * SECOND,
  /** How long the hub waits for its store, and how much may wait for it at one time: operations, and bytes in them. */
  storeTime: 10 * SECOND,
  storeOperations: 10_000,
  storeBytes: 128 * MIB,
  /** How long a conversation is kept that nobody changes, and in how many bytes all of one principal's; the oldest makes room. */
  conversationAge: 180 * DAY,
  conversationBytesPerPrincipal: 256 * MIB,
  /** How long a used key is known, and how many of one principal; after that it is as good as new. */
  usedKeyTime: DAY,
  usedKeysPerPrincipal: 100_000,
  /** How long the tokens are known that a principal used on a day. */
  usageTime: 31 * DAY,
  /** How long the audit is kept, and in how many bytes; whole days make room. */
  auditTime: 90 * DAY,
  auditBytes: 1024 * MIB,
  /** How long records of the audit are gathered before they are written, and how many wait at most while they cannot be. */
  auditBatchTime: 250,
  auditWaiting: 10_000,
  /** How much of arguments and of a result has a digest in the audit, and how much is kept where the hub's owner wants it. */
  auditDigestBytes: 64 * 1024,
  auditContentsBytes: 4096,
  /** How often the store removes what is too old or too much; zero leaves that to `pagewire store prune`. */
  pruneTime: 60 * MINUTE,
  /** How long a stopping hub lets running calls finish. */
  drainTime: 30 * SECOND,
} as const;

/** The bounds in force, by the names of `defaultLimits`. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };

/** Fills in what was not said; refuses a bound that is unknown or not a number of zero or more. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  return fillInLimits(defaultLimits, given);
}
