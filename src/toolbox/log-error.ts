import type { OnError } from "../wire/index.ts";

/** Where errors go that nobody asked to hear of. */
export const logError: OnError = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);
