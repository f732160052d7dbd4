// What an action of a tab, and its result, say to the hub's door for terminals.

/** In a tool's `_meta`: the milliseconds that a call from a terminal may take where its caller does not say. */
export const callTimeKey = "pagewire/callTime";

/** In a result's `_meta`: the fields of its structured content are the answer's own, beside `status`. */
export const fieldsKey = "pagewire/fields";

/** In a failed result's `_meta`: the error code with which the action failed. */
export const codeKey = "pagewire/code";

/** The logger whose entries are pieces of an action's answer, none of which may be dropped. */
export const chunkLogger = "pagewire.chunk";

/** In the `_meta` of such an answer: how many pieces were sent before it, so that one that got lost is missed. */
export const chunksKey = "pagewire/chunks";
