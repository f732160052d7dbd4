import { agent, answer, asks } from "./caller-parts.ts";
import { duration, flag, identifier, oneOf, optional, whole } from "./fields.ts";
import { heartbeat, sentence, target } from "./frame-parts.ts";
import type { FrameIn, FrameTable } from "./frame-table.ts";
import { token, versions } from "./hello-parts.ts";
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
  /** Payload: the arguments. */
  call: {
    id: identifier,
    method: oneOf(callMethods),
    name: target,
    tab: optional(identifier),
    key: optional(identifier),
    left: optional(duration),
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
