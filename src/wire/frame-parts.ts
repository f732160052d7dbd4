// What the tables of frames share. Each table is a module of its own, so that a page carries only the one it reads.
import { duration, group, identifier, list, oneOf, optional, text } from "./fields.ts";
import { askMethods } from "./words.ts";

export const name = text(128);
/** The name of a tool or prompt, or the address of a resource. */
export const target = text(2048);
export const sentence = text(4096);
export const cause = text(64);
export const asks = optional(list(oneOf(askMethods), askMethods.length));
export const agent = group({ name, version: optional(name) });
export const heartbeat = {};
/** The hub is stopping: connect again, at a random time within so many milliseconds. */
export const goaway = { within: duration };
export const refused = { code: cause, message: sentence, command: optional(sentence) };
/** An answer to a question; the payload, unless a code says why there is none. */
export const answer = { id: identifier, ask: identifier, code: optional(cause), message: optional(sentence) };
