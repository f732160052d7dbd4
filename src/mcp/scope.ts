// What an MCP client sees: the tools of all tabs of its principal, or those of one tab alone.
import type { AgentSession, CallRequest } from "../switchboard/index.ts";
import { PagewireError, isBuiltInTool } from "../wire/index.ts";
import type { Offer } from "../wire/index.ts";

/** What there is for this agent, in order; throws a named error when its tab is gone. */
export function offerIn(agent: AgentSession, tab: string | undefined): Offer {
  if (tab === undefined) return agent.offer();
  const offer = agent.tabOffer(tab);
  let sorted = sortedOffers.get(offer);
  if (!sorted) sortedOffers.set(offer, (sorted = inOrder(offer)));
  return sorted;
}

const sortedOffers = new WeakMap<Offer, Offer>();

export interface Item {
  readonly name: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
}

/** What tells an item from all others of its list. */
export function idOf({ uri, uriTemplate, name }: Item): string {
  return uri ?? uriTemplate ?? name;
}

function inOrder({ tools, prompts, resources, resourceTemplates }: Offer): Offer {
  const sorted = <Some extends Item>(items: readonly Some[]) =>
    items.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  return {
    tools: sorted(tools),
    prompts: sorted(prompts),
    resources: sorted(resources),
    resourceTemplates: sorted(resourceTemplates),
  };
}

/** Aims a call at the scope's tab, where there is one. Its tools are called by their own names. */
export function aimIn(tab: string | undefined, request: CallRequest): CallRequest {
  if (tab === undefined) return request;
  if (request.method === "tools/call" && isBuiltInTool(request.name)) {
    throw new PagewireError("tool-not-found", `There is no tool "${request.name}" here: this is one tab's own list.`);
  }
  return { ...request, tab, isOwnName: true };
}
