import { identifier, list } from "./fields.ts";

/** How many epochs of its memory a page names. */
export const epochsMost = 16;

/** The epochs whose calls are all in a page's memory; the last is the one that new calls come into. */
export const epochs = list(identifier, epochsMost);
