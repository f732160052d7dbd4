import { columns, flag, heartbeat, identifier, name, number, offset, optional, rows, text } from "./fields.ts";
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
