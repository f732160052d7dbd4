// What the tables of frames share that are about calls: a page that waits for its hub's first word reads none of it.
import { group, identifier, list, oneOf, optional } from "./fields.ts";
import { cause, name, sentence } from "./frame-parts.ts";
import { askMethods } from "./words.ts";

export const asks = optional(list(oneOf(askMethods), askMethods.length));
export const agent = group({ name, version: optional(name) });
/** An answer to a question; the payload, unless a code says why there is none. */
export const answer = { id: identifier, ask: identifier, code: optional(cause), message: optional(sentence) };
