import { ask, failure, log, progress, result } from "./call-frames.ts";
import { duration, flag, identifier, number, optional } from "./fields.ts";
import { cause, goaway, heartbeat, refused, sentence } from "./frame-parts.ts";
import type { FrameIn, FrameTable } from "./frame-table.ts";

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
  /** `replay` is set where the outcome was given before. */
  result: { ...result, replay: optional(flag) },
  failure: { ...failure, replay: optional(flag) },
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
