import { columns, flag, heartbeat, identifier, name, number, offset, optional, rows, text } from "./fields.ts";
import type { FrameIn, FrameTable } from "./codec.ts";

/** Frames that a view of terminals sends. It shows at most one terminal at a time. */
export const fromView = {
  /** The first frame. A code is good for one token, which the welcome brings, and which may be bound to a key. */
  hello: { version: number, code: optional(text(8192)), token: optional(text(8192)), key: optional(text(128)) },
  /**
   * Shows a terminal, or without one a new terminal. Whoever showed this stream before says how far it came: it is
   * sent what followed. Another `open` leaves the terminal that was shown.
   */
  open: {
    terminal: optional(identifier),
    name: optional(name),
    columns,
    rows,
    stream: optional(identifier),
    from: optional(offset),
  },
  /** What the user typed or pasted; payload: the text. */
  input: {},
  /** How large the view is. The terminal becomes so when the view is in front. */
  resize: { columns, rows },
  /** The tab that this view is in, and whether the user is at it. Said again when either changes, or the tab connects. */
  here: { tab: optional(identifier), focused: flag },
  /** The view has shown the stream up to here. Who says nothing for long is sent nothing more until it does. */
  seen: { at: offset },
  /** Ends a terminal and what runs in it. */
  end: { terminal: identifier },
  rename: { terminal: identifier, name },
  /** Ends the sign-in that the view came by, with all views that came by it. Terminals go on. */
  "sign-out": {},
  heartbeat,
} as const satisfies FrameTable;

export type FrameFromView = FrameIn<typeof fromView>;
