// The hub's /agent-window.js: the bridge for pages without a package manager.
export { AgentBridge } from "./agent-bridge.ts";
export { SeahorseAgentBridge } from "./seahorse-agent-bridge.ts";
