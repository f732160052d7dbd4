// In a module of its own, so that a hub holds no answers.

/** Letters of the id before every message of the floor. */
export const idLength = 8;
/** Between the messages that the batching floor has in one. JSON holds none, and nothing checks that. */
export const separator = "\x1e";
