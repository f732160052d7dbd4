import type { AgentSession } from "../../../switchboard/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import { tabClosed } from "./failure.ts";

/** The actions that a terminal's programs can request from its tab, with their input schemas. */
export function describeActions(agent: AgentSession, terminal: string, tab: string): object {
  const found = agent.tabs().find(({ tabId }) => tabId === tab);
  if (!found) throw new PagewireError("tab-not-found", tabClosed);
  const { tabId: id, title, origin, url, app } = found;
  const actions = agent.tabOffer(tab).tools.map(({ name, title: heading, description, inputSchema, annotations }) => {
    return { name, title: heading, description, inputSchema, annotations };
  });
  return { browser_id: terminal, tab: { id, title, origin, url, app }, actions };
}
