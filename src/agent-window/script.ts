// The hub's /agent-window.js: the bridge for pages without a package manager.
export { AgentBridge, SeahorseAgentBridge } from "./agent-bridge.ts";
