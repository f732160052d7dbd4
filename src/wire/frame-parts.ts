// What the tables of frames share. Each table is a module of its own, so that a page carries only the one it reads.
import { duration, optional, text } from "./fields.ts";

export const name = text(128);
/** The name of a tool or prompt, or the address of a resource. */
export const target = text(2048);
export const sentence = text(4096);
export const cause = text(64);
export const heartbeat = {};
/** The hub is stopping: connect again, at a random time within so many milliseconds. */
export const goaway = { within: duration };
export const refused = { code: cause, message: sentence, command: optional(sentence) };
