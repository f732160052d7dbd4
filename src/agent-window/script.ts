// The hub's /agent-window.js: the bridge for pages that load no packages.
export { AgentBridge } from "./agent-bridge.ts";
export { SeahorseAgentBridge } from "./seahorse-agent-bridge.ts";
