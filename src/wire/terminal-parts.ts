// What the frames between a view of terminals and a hub share.
import { group, identifier, duration, list, whole } from "./fields.ts";
import { name } from "./frame-parts.ts";

export const columns = whole(1, 1000);
export const rows = whole(1, 1000);

/** How much of a stream came before, counted in UTF-16 units, as JavaScript counts a string. */
export const offset = whole(0, Number.MAX_SAFE_INTEGER);

/** The terminals of a principal that can be shown, the oldest first; `createdAt` in milliseconds since 1970. */
export const terminals = list(group({ id: identifier, name, createdAt: duration }), 1024);
