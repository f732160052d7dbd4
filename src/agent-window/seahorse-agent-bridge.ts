import { AgentBridge } from "./agent-bridge.ts";
import type { BridgeConfig } from "./bridge-config.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";

/** An `AgentBridge` whose window has the name that users of that bridge expect. */
export class SeahorseAgentBridge extends AgentBridge {
  constructor(config: BridgeConfig, environment?: BridgeEnvironment) {
    super({ ...config, windowName: config.windowName ?? "seahorse-agent" }, environment);
  }
}
