import {
  cause,
  columns,
  duration,
  flag,
  heartbeat,
  identifier,
  name,
  number,
  offset,
  optional,
  rows,
  sentence,
  terminals,
  text,
  whole,
} from "./fields.ts";
import type { FrameIn, FrameTable } from "./codec.ts";

/**
 * Frames that a hub sends to a view of terminals. Whoever may not come in is told by the close alone: its code has the
 * name of the error, its reason says why.
 */
export const toView = {
  /** `token` is what to bring next time, where a code was exchanged. With `tmux` shells outlive the hub. */
  welcome: {
    version: number,
    token: optional(text(8192)),
    expiresAt: optional(duration),
    terminals,
    tmux: flag,
    heartbeat: duration,
  },
  /**
   * The view shows this terminal from now on, and the next output begins at `at`. Where that is not where the view left
   * this stream, it clears first. Comes again without being asked where the stream began anew, or more than is kept
   * went by while the view did not read.
   */
  opened: {
    terminal: identifier,
    name,
    stream: identifier,
    at: offset,
    columns,
    rows,
    isNew: flag,
  },
  /** Payload: text, whose first character comes after `at` others of this stream. */
  output: { at: offset },
  /** The terminal has another size now: that of the view in front. */
  size: { columns, rows },
  /** The tab that actions of this terminal's programs go to now. */
  attached: { tab: optional(identifier) },
  /** The principal's terminals are different now. */
  terminals: { terminals },
  /** The shown terminal has ended, and nothing follows of it. `signal` has a name such as SIGKILL. */
  exited: { code: optional(whole(0, 255)), signal: optional(text(32)) },
  /** What the view asked for cannot be done. It may go on. */
  failed: { code: cause, message: sentence },
  heartbeat,
} as const satisfies FrameTable;

export type FrameToView = FrameIn<typeof toView>;
