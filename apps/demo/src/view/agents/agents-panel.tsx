import type { Page } from "pagewire/page";
import type { Tool } from "pagewire/wire";
import { render } from "preact";
import { Badge } from "../../../../common/src/ui/badge.tsx";
import type { Tone } from "../../../../common/src/ui/badge.tsx";
import { CommandLine } from "../../../../common/src/ui/command-line.tsx";
import type { PageCalls } from "../../state/agents/page-calls.ts";
import { createRoster } from "../../state/agents/roster.ts";
import type { BrowserStorage } from "../../state/browser-storage.ts";
import { createAnnouncer } from "../announcer.ts";
import { mountActivity } from "./activity.tsx";
import { mountConnectPanel } from "./connect/connect-panel.tsx";
import { mountConnection } from "./connection.tsx";
import { mountPresence, mountSeenAgents } from "./presence.tsx";
import { mountSheet } from "./sheet.tsx";
import { byId } from "../dom.ts";

export interface AgentsPanelOptions {
  readonly page: Page;
  readonly calls: Pick<PageCalls, "onCall">;
  readonly hub: string;
  readonly storage: BrowserStorage;
}

/** Commands that call the page's tools from a terminal; they find the hub on this machine by themselves. */
const commands = [
  "npx pagewire tools",
  `npx pagewire call get_sales_data '{"days":30}'`,
  `npx pagewire call highlight '{"target":"revenue_chart"}'`,
];

/** Everything that shows agents at work: how they come in, which are there, their calls, and the tools they have. */
export function mountAgentsPanel({ page, calls, hub, storage }: AgentsPanelOptions): void {
  const announce = createAnnouncer();
  const roster = createRoster(Date.now);
  // First: the others ask it whose a call is.
  calls.onCall(roster.take);
  mountConnection(page, announce);
  mountPresence(roster);
  mountConnectPanel({ calls, hub, storage });
  mountSeenAgents(roster);
  mountActivity({ calls, roster, announce });
  render(
    commands.map((command) => <CommandLine key={command} text={command} />),
    byId("commands", HTMLElement),
  );
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
    const items = tools.map((tool) => <ToolItem key={tool.name} tool={tool} />);
    render(items, list);
  }
  draw();
  page.toolbox.subscribe(draw);
}

function ToolItem({ tool }: { readonly tool: Tool }) {
  const { tone, text } = effectOf(tool);
  return (
    <li class="tool">
      <span class="tool-title">{tool.title ?? tool.name}</span>
      <Badge tone={tone}>{text}</Badge>
      <code class="tool-name">{tool.name}</code>
    </li>
  );
}

function effectOf({ annotations }: Tool): { readonly tone: Tone; readonly text: string } {
  if (annotations?.readOnlyHint === true) return { tone: "plain", text: "read-only" };
  if (annotations?.destructiveHint === true) return { tone: "bad", text: "destructive" };
  return { tone: "wait", text: "changes the page" };
}
