export { createSharedSockets } from "./shared-sockets.ts";
export type { SharedSockets } from "./shared-sockets.ts";
