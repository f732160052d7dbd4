/** The state of the connection to a remote core: `waiting` for the next attempt, `local` if the core is in the page. */
export type AgentConnection = "local" | "connecting" | "open" | "waiting" | "closed";
