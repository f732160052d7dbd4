import type { Page } from "pagewire/page";
import type { PageCalls } from "../../state/agents/page-calls.ts";
import { createRoster } from "../../state/agents/roster.ts";
import type { BrowserStorage } from "../../state/browser-storage.ts";
import { createAnnouncer } from "../announcer.ts";
import { mountActivity } from "./activity.ts";
import { mountCommands } from "./commands.ts";
import { mountConnectPanel } from "./connect/connect-panel.ts";
import { mountConnection } from "./connection.ts";
import { mountPresence } from "./presence.ts";
import { mountSeenAgents } from "./seen-agents.ts";
import { mountSheet } from "./sheet.ts";
import { mountToolsList } from "./tools-list.ts";

export interface AgentsPanelOptions {
  readonly page: Page;
  readonly calls: Pick<PageCalls, "onCall">;
  readonly hub: string;
  readonly storage: BrowserStorage;
}

/** Everything that shows agents at work: how they come in, which are there, their calls, and the tools they have. */
export function mountAgentsPanel({ page, calls, hub, storage }: AgentsPanelOptions): void {
  const announce = createAnnouncer();
  const roster = createRoster(Date.now);
  // First: the others ask it whose a call is.
  calls.onCall(roster.take);
  mountConnection(page, announce);
  mountPresence(roster);
  mountConnectPanel({ calls, hub, storage, announce });
  mountSeenAgents(roster);
  mountActivity({ calls, roster, announce });
  mountCommands(announce);
  mountToolsList(page);
  mountSheet({ page, calls, roster });
}
