// An entry point for calls without a hub: it loads only the code that runs a call at most once and remembers it.
export { createCallMemory } from "./calls/call-memory.ts";
export type { CallMemory } from "./calls/call-memory.ts";
export { Calls } from "./calls/calls.ts";
