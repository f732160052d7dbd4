// A principal's tabs, each with everything that it offers, a page at a time.
import { PagewireError } from "../../../wire/index.ts";
import type { Offer, TabInfo } from "../../../wire/index.ts";
import type { AgentSession, Overview } from "../../../switchboard/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Door } from "../door.ts";
import { hubNames } from "./all-hubs.ts";
import { readLimit, refused } from "./read-filters.ts";
import type { Filters } from "./read-filters.ts";

const most = 500;

/** A page of tabs ends before this many characters, or after one tab: tabs may offer megabytes each. */
const maxText = 2 * 1024 * 1024;

/** As JSON. */
export function listTabs(
  { switchboard, disconnected, cluster }: Pick<Door, "switchboard" | "disconnected" | "cluster">,
  { principal, credential }: Admitted,
  filters: Filters<"limit" | "cursor" | "search">,
): string {
  const size = readLimit(filters, most);
  const agent = switchboard.agent({ principal, identity: credential, name: "reader" });
  try {
    const { tabs, more } = pageOf(agent, { ...filters, size });
    const listed = fitting(agent, tabs, connections(switchboard.overview(principal), cluster));
    const isCut = listed.length < tabs.length;
    const rest = isCut ? agent.tabPage({ ...filters, size: listed.length }).more : more;
    const { nextCursor = null } = rest ?? {};
    const after = JSON.stringify({ nextCursor, disconnected: disconnected.list(principal) });
    return `{"tabs":[${listed.join(",")}],${after.slice(1)}`;
  } finally {
    agent.close();
  }
}

function pageOf(agent: AgentSession, query: Parameters<AgentSession["tabPage"]>[0]) {
  try {
    return agent.tabPage(query);
  } catch (error) {
    if (!PagewireError.isInstance(error)) throw error;
    throw refused("cursor", "must be the nextCursor of an answer.");
  }
}

type ConnectionOf = Overview["connectionOf"];

/** The connections of tabs, with the name of the hub where there are several. */
function connections(overview: Overview | undefined, cluster: Door["cluster"]): ConnectionOf {
  const nameOf = hubNames({ cluster });
  return (tabId) => {
    const found = overview?.connectionOf(tabId);
    return found && { ...found, hub: nameOf?.(found.hub) };
  };
}

/** The JSON of the first tabs, as many as fit into an answer. */
function fitting(agent: AgentSession, tabs: readonly TabInfo[], connectionOf: ConnectionOf): readonly string[] {
  const offers = new Map<Offer, string>();
  const listed: string[] = [];
  let length = 0;
  for (const { tools: _, ...tab } of tabs) {
    const offer = agent.tabOffer(tab.tabId);
    const offered = offers.get(offer) ?? JSON.stringify(offer);
    offers.set(offer, offered);
    const own = JSON.stringify({ ...tab, ...connectionOf(tab.tabId) });
    length += own.length + offered.length;
    if (length > maxText && listed.length > 0) break;
    listed.push(`${own.slice(0, -1)},${offered.slice(1)}`);
  }
  return listed;
}
