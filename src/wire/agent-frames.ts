// The frames between agents' programs and a hub.
import type { FrameIn, FrameTable } from "./codec.ts";
import {
  agent,
  answer,
  anything,
  ask,
  asks,
  cause,
  duration,
  failure,
  flag,
  goaway,
  heartbeat,
  identifier,
  log,
  number,
  oneOf,
  optional,
  progress,
  refused,
  result,
  sentence,
  target,
  token,
  versions,
  whole,
} from "./fields.ts";
import { callMethods } from "./words.ts";

/** Frames that an agent's program sends. */
export const fromAgent = {
  hello: {
    versions,
    token,
    agent,
    asks,
    /** Stays the same while the program runs, also when it reconnects. */
    session: optional(identifier),
  },
  /**
   * Payload of the reply: a list of tabs, or an Offer. With `size` at most that many tabs, starting at `cursor`; with
   * `search` only tabs with this text.
   */
  list: {
    id: identifier,
    what: oneOf(["tabs", "offer"]),
    tab: optional(identifier),
    size: optional(whole(1, 1000)),
    cursor: optional(identifier),
    search: optional(sentence),
  },
  /** Payload: the arguments. An invalid `trace` is ignored. */
  call: {
    id: identifier,
    method: oneOf(callMethods),
    name: target,
    tab: optional(identifier),
    key: optional(identifier),
    left: optional(duration),
    trace: anything,
  },
  cancel: { id: identifier, reason: optional(sentence) },
  answer,
  /**
   * Starts or stops watching all calls of the same principal. With `batches` the agent accepts messages of several frames, as
   * `watched` and `missed` then come.
   */
  watch: { on: flag, batches: optional(flag) },
  heartbeat,
} as const satisfies FrameTable;

export type FrameFromAgent = FrameIn<typeof fromAgent>;

/** Frames that a hub sends to an agent's program. */
export const toAgent = {
  welcome: { version: number, agent: identifier, heartbeat: duration },
  refused,
  /** Payload: the list or the Offer. If there are more tabs, `nextCursor` is the start of the rest. */
  listing: { id: identifier, nextCursor: optional(identifier), code: optional(cause), message: optional(sentence) },
  /** The call is running in this tab. */
  ack: { id: identifier, tab: identifier },
  progress,
  log,
  ask,
  /** The question was answered elsewhere. */
  answered: { id: identifier, ask: identifier },
  /** `replay` is set for a repeated outcome, `notSaved` if the hub could not write it to its ledger. */
  result: { ...result, replay: optional(flag), notSaved: optional(flag) },
  failure: { ...failure, replay: optional(flag), notSaved: optional(flag) },
  /** The tabs or their offers changed. */
  changed: {},
  /** Payload: a CallEvent. */
  watched: {},
  /** The agent is too slow, or there are too many events: this number of events was dropped. */
  missed: { count: number },
  heartbeat,
  /** With `elsewhere` another hub takes new connections at once, and this one serves its calls until they end. */
  goaway: { ...goaway, elsewhere: optional(flag) },
} as const satisfies FrameTable;

export type FrameToAgent = FrameIn<typeof toAgent>;
