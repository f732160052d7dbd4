import type { Page } from "pagewire/page";
import type { PageCalls } from "../../state/agents/page-calls.ts";
import { createRoster } from "../../state/agents/roster.ts";
import type { BrowserStorage } from "../../state/browser-storage.ts";
import { createAnnouncer } from "../announcer.ts";
import { mountActivity } from "./activity.ts";
import { mountCommands } from "./command-box.ts";
import { mountConnectPanel } from "./connect/connect-panel.ts";
import { mountConnection } from "./connection.ts";
import { mountPresence, mountSeenAgents } from "./presence.ts";
import { mountSheet } from "./sheet.ts";
import type { Tool } from "pagewire/wire";
import { byId, html, show } from "../dom.ts";

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

/** The tools that the page offers. */
function mountToolsList(page: Page): void {
  const list = byId("tools", HTMLUListElement);
  const title = byId("tools-title", HTMLElement);
  function draw(): void {
    const { tools } = page.toolbox.offer();
    title.textContent = `Tools (${tools.length})`;
    show(list, ...tools.map(createItem));
  }
  draw();
  page.toolbox.subscribe(draw);
}

function createItem(tool: Tool): HTMLLIElement {
  const { kind, text } = badgeOf(tool);
  return html(
    "li",
    { class: "tool" },
    html("span", { class: "tool-title" }, tool.title ?? tool.name),
    html("span", { class: `badge ${kind}` }, text),
    html("code", { class: "tool-name" }, tool.name),
  );
}

function badgeOf({ annotations }: Tool): { readonly kind: string; readonly text: string } {
  if (annotations?.readOnlyHint === true) return { kind: "reads", text: "read-only" };
  if (annotations?.destructiveHint === true) return { kind: "destructive", text: "destructive" };
  return { kind: "changes", text: "changes the page" };
}
