import { AgentBridge } from "pagewire/agent-window";
import { AiAgent, bootstrapAi } from "pagewire/ai-agent";
import { askInPage, connectPage } from "pagewire/page";
import { createPageCalls } from "./state/agents/page-calls.ts";
import { createAssistant } from "./state/assistant/assistant.ts";
import type { Assistant } from "./state/assistant/assistant.ts";
import type { BrowserStorage } from "./state/browser-storage.ts";
import type { Dashboard } from "./state/dashboard.ts";
import { modelAddress } from "./state/hub-address.ts";
import { offerDashboard } from "./tools/offer-dashboard.ts";
import { mountAgentsPanel } from "./view/agents/agents-panel.tsx";
import { mountAskPanel } from "./view/agents/ask/ask-panel.tsx";
import { mountAssistant } from "./view/assistant/mount-assistant.tsx";
import { byId } from "./view/dom.ts";

export interface AgentsOptions {
  /** The hub's address, which is another origin than the page's. */
  readonly hub: string;
  readonly dashboard: Dashboard;
  readonly storage: BrowserStorage;
}

/** Offers the dashboard to agents: those of the hub, the hub's model in the page, and the assistant beside it. */
export async function startAgents({ hub, dashboard, storage }: AgentsOptions): Promise<Assistant> {
  const page = await connectPage({ app: "sales-dashboard", hub });
  offerDashboard(page, dashboard);
  const calls = createPageCalls({ page, now: () => performance.now(), ask: askInPage });
  mountAgentsPanel({ page, calls, hub, storage });

  bootstrapAi({ remote: { enableRemote: true, remoteCoreUrl: modelAddress(hub) } });
  mountAskPanel(byId("agent", AiAgent));

  const assistant = createAssistant({
    createBridge: (callbacks) =>
      new AgentBridge({ agentOrigin: hub, toolbox: calls.toolboxFor("AI assistant"), ...callbacks }),
    frame: byId("assistant-frame", HTMLElement),
  });
  mountAssistant({ assistant, calls, dashboard });
  return assistant;
}
