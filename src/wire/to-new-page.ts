import { duration, goaway, optional, refused } from "./fields.ts";
import type { FrameTable } from "./codec.ts";

/** When this link is lost: reconnect at a random time within this many milliseconds, so that clients do not all come at once. */
export const within = optional(duration);

/** Frames that a hub or worker may send before it knows the page. */
export const toNewPage = { refused, heartbeat: { within }, goaway } as const satisfies FrameTable;
