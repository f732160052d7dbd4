// A second way into this folder, for calls that come without a hub: from here nothing of a page comes along but what runs
// a call at most once and remembers it.
export { createCallMemory } from "./calls/call-memory.ts";
export type { CallMemory } from "./calls/call-memory.ts";
export { createCalls } from "./calls/calls.ts";
