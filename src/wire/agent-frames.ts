// What agents' programs and a hub say to each other.
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
    /** Stays the same while the program runs, also when it connects again. */
    session: optional(identifier),
  },
  /**
   * What is there: payload of the reply is a list of tabs, or an Offer. Where `size` is given, at most that many tabs, from
   * `cursor` on, and with `search` those that have this text.
   */
  list: {
    id: identifier,
    what: oneOf(["tabs", "offer"]),
    tab: optional(identifier),
    size: optional(whole(1, 1000)),
    cursor: optional(identifier),
    search: optional(sentence),
  },
  /** Payload: the arguments. A `trace` that is none is passed over. */
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
   * Start or stop watching every call of the same principal. With `batches` the agent takes messages of several frames,
   * as `watched` and `missed` then come.
   */
  watch: { on: flag, batches: optional(flag) },
  heartbeat,
} as const satisfies FrameTable;

export type FrameFromAgent = FrameIn<typeof fromAgent>;

/** Frames that a hub sends to an agent's program. */
export const toAgent = {
  welcome: { version: number, agent: identifier, heartbeat: duration },
  refused,
  /** Payload: what was asked for. Where there are more tabs, `nextCursor` is where they begin. */
  listing: { id: identifier, nextCursor: optional(identifier), code: optional(cause), message: optional(sentence) },
  /** The call is running in this tab. */
  ack: { id: identifier, tab: identifier },
  progress,
  log,
  ask,
  /** `replay` is set where the outcome was given before, `notSaved` where the hub could not write it down. */
  result: { ...result, replay: optional(flag), notSaved: optional(flag) },
  failure: { ...failure, replay: optional(flag), notSaved: optional(flag) },
  /** The tabs or what they offer are different now. */
  changed: {},
  /** Payload: a CallEvent. */
  watched: {},
  /** The agent does not keep up, or too much happens: this many events are not sent. */
  missed: { count: number },
  heartbeat,
  goaway,
} as const satisfies FrameTable;

export type FrameToAgent = FrameIn<typeof toAgent>;
