import { goaway, heartbeat, refused } from "./fields.ts";
import type { FrameTable } from "./codec.ts";

/** Frames that a hub or worker may send before it knows which page it is. */
export const toNewPage = { refused, heartbeat, goaway } as const satisfies FrameTable;
