import type { AgentSession } from "../../switchboard/index.ts";

/** Tells when the list of tools reads differently than before; returns a function that stops it. */
export function watchTools(agent: AgentSession, changed: () => void): () => void {
  let { tools } = agent.offer();
  return agent.onChange((what) => {
    const { tools: now } = agent.offer();
    if (what === "tabs" || JSON.stringify(now) === JSON.stringify(tools)) return;
    tools = now;
    changed();
  });
}
