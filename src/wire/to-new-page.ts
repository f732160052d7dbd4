import { goaway, heartbeat, refused } from "./frame-parts.ts";
import type { FrameTable } from "./frame-table.ts";

/** Frames that a hub or worker may send before it knows which page it is. */
export const toNewPage = { refused, heartbeat, goaway } as const satisfies FrameTable;
