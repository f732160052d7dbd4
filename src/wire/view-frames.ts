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

/** Frames from a view of terminals, which shows at most one terminal at a time. */
export const fromView = {
  /** The first frame. A code is exchanged once for the token in the welcome, which may be bound to a key. */
  hello: { version: number, code: optional(text(8192)), token: optional(text(8192)), key: optional(text(128)) },
  /**
   * Shows a terminal, or a new one if none is named. A view that showed this stream before sends its position, and gets
   * the rest. Another `open` leaves the terminal shown before.
   */
  open: {
    terminal: optional(identifier),
    name: optional(name),
    columns,
    rows,
    stream: optional(identifier),
    from: optional(offset),
  },
  /** Input that the user typed or pasted; payload: the text. */
  input: {},
  /** The size of the view. The terminal gets it while the view is in front. */
  resize: { columns, rows },
  /** The view's tab, and whether the user is at it. Sent again when either changes, or the tab connects. */
  here: { tab: optional(identifier), focused: flag },
  /** The view has shown the stream up to this position. A silent view gets no more output after a while. */
  seen: { at: offset },
  /** Ends a terminal and its programs. */
  end: { terminal: identifier },
  rename: { terminal: identifier, name },
  /** Ends the sign-in of this view, and all views with the same sign-in. Terminals go on. */
  "sign-out": {},
  heartbeat,
} as const satisfies FrameTable;

export type FrameFromView = FrameIn<typeof fromView>;

/**
 * Frames that a hub sends to a view of terminals. A refused view only gets a close: its code has the name of the error, its
 * reason has the message.
 */
export const toView = {
  /** `token` is the credential for the next time, if a code was exchanged. With `tmux` shells outlive the hub. */
  welcome: {
    version: number,
    token: optional(text(8192)),
    expiresAt: optional(duration),
    terminals,
    tmux: flag,
    heartbeat: duration,
  },
  /**
   * The view shows this terminal from now on, and the next output begins at `at`. If that is not where the view left
   * this stream, it clears first. Also sent without an `open` if the stream restarted, or if more than is kept
   * was dropped while the view did not read.
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
  /** Payload: text. Its first character is at position `at` of this stream. */
  output: { at: offset },
  /** The terminal has a new size: that of the view in front. */
  size: { columns, rows },
  /** The tab that now receives the actions of this terminal's programs. */
  attached: { tab: optional(identifier) },
  /** The principal's terminals changed. */
  terminals: { terminals },
  /** The shown terminal has ended, and no more of it follows. `signal` has a name such as SIGKILL. */
  exited: { code: optional(whole(0, 255)), signal: optional(text(32)) },
  /** The view's request failed. The view may go on. */
  failed: { code: cause, message: sentence },
  heartbeat,
} as const satisfies FrameTable;

export type FrameToView = FrameIn<typeof toView>;
