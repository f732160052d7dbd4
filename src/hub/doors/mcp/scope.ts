// What an MCP client sees: the tools of all tabs of its principal, or those of the one tab that its address names.
import type { AgentSession, CallRequest } from "../../../switchboard/index.ts";
import { PagewireError, isBuiltInTool } from "../../../wire/index.ts";
import type { Offer } from "../../../wire/index.ts";

/** The tab that a path names; undefined for all of them. */
export function tabOfPath(path: string): string | undefined {
  const [, tab] = /^\/mcp\/tabs\/([\x21-\x2e\x30-\x7e]{1,128})$/.exec(path) ?? [];
  if (tab !== undefined || path === "/mcp") return tab;
  throw new PagewireError("route-not-found", `There is nothing at ${path}.`);
}

/** What there is for this agent, in order; throws a named error when its tab is gone. */
export function offerIn(agent: AgentSession, tab: string | undefined): Offer {
  if (tab === undefined) return agent.offer();
  const { tools, prompts, resources, resourceTemplates } = agent.tabOffer(tab);
  return {
    tools: inOrder(tools),
    prompts: inOrder(prompts),
    resources: inOrder(resources),
    resourceTemplates: inOrder(resourceTemplates),
  };
}

export interface Item {
  readonly name: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
}

/** What tells an item from all others of its list. */
export function idOf({ uri, uriTemplate, name }: Item): string {
  return uri ?? uriTemplate ?? name;
}

function inOrder<Some extends Item>(items: readonly Some[]): readonly Some[] {
  return items.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

/** Whether a tool of this name may be called there: a tab's own address has no tools of the hub's. */
export function isInScope(tab: string | undefined, name: string): boolean {
  return tab === undefined || !isBuiltInTool(name);
}

/** Aims a call at the scope's tab, where there is one. Its tools are called by their own names. */
export function aimIn(tab: string | undefined, request: CallRequest): CallRequest {
  if (tab === undefined) return request;
  if (request.method === "tools/call" && !isInScope(tab, request.name)) {
    throw new PagewireError("tool-not-found", `There is no tool "${request.name}" here: this is one tab's own list.`);
  }
  return { ...request, tab, isOwnName: true };
}
