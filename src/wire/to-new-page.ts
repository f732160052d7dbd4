import { duration, goaway, optional, refused } from "./fields.ts";
import type { FrameTable } from "./codec.ts";

/** When this link is lost: connect again at a random time within so many milliseconds, so that all who lost it come in turn. */
export const within = optional(duration);

/** Frames that a hub or worker may send before it knows which page it is. */
export const toNewPage = { refused, heartbeat: { within }, goaway } as const satisfies FrameTable;
