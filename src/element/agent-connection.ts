/** How the way to a remote core is: `waiting` before another attempt, `local` where the core is in the page. */
export type AgentConnection = "local" | "connecting" | "open" | "waiting" | "closed";
