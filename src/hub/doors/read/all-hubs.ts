// All that the hubs of a cluster know of a principal.
import type { Overview } from "../../../switchboard/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import type { HubInfo } from "../../cluster/lease.ts";
import type { Door } from "../door.ts";

/** A hub, and what a principal has there; null of one that did not answer. */
export interface HubOfUser {
  readonly name: string;
  readonly version: string;
  readonly startedAt: string;
  /** Whether it is the one that answered. */
  readonly isThis: boolean;
  readonly isStopping: boolean;
  readonly tabs: number | null;
  readonly agents: Overview["agents"] | null;
  readonly callsInFlight: number | null;
}

type Parts = Pick<Door, "cluster" | "switchboard">;

/** Lets the other hubs ask. */
export function answerOtherHubs({ cluster, switchboard }: Parts): void {
  cluster?.others.answers("overview", ({ principal }) => {
    const overview = { ...aboutHub(cluster.self), ...figuresHere(switchboard, principal as string) };
    return JSON.parse(JSON.stringify(overview)) as JsonObject;
  });
}

/** All hubs, the oldest first; undefined for a hub alone. */
export async function allHubs({ cluster, switchboard }: Parts, principal: string): Promise<HubOfUser[] | undefined> {
  if (!cluster) return undefined;
  const answers = await cluster.others.askAll("overview", { principal });
  const others = cluster.hubs.map((hub) => ({
    ...{ ...aboutHub(hub), isThis: false, tabs: null, agents: null, callsInFlight: null },
    ...answers.find((answer) => answer.hub === hub.id)?.value,
  }));
  const own = { ...aboutHub(cluster.self), isThis: true, ...figuresHere(switchboard, principal) };
  return [own, ...others].toSorted((one, other) => one.startedAt.localeCompare(other.startedAt));
}

/** The agents of all hubs, each with the name of its hub where there are several. */
export async function allAgents(parts: Parts, principal: string): Promise<readonly object[]> {
  const hubs = await allHubs(parts, principal);
  if (!hubs) return parts.switchboard.overview(principal)?.agents ?? [];
  return hubs.flatMap(({ name, agents }) => (agents ?? []).map((agent) => ({ ...agent, hub: name })));
}

/** Names the hub of a tab; undefined for a hub alone. */
export function hubNames({ cluster }: Pick<Door, "cluster">): ((id: string | undefined) => string) | undefined {
  if (!cluster) return undefined;
  const names = new Map(cluster.hubs.map(({ id, name }) => [id, name]));
  return (id) => (id === undefined ? cluster.self.name : (names.get(id) ?? ""));
}

function aboutHub({ name, version, startedAt, isStopping }: HubInfo) {
  const [ofVersion, since] = [version, startedAt].map((text) => (typeof text === "string" ? text : ""));
  return { name, version: ofVersion ?? "", startedAt: since ?? "", isStopping: isStopping === true };
}

function figuresHere(switchboard: Door["switchboard"], principal: string) {
  const { tabs = 0, tabsElsewhere = 0, agents = [], callsInFlight = 0 } = switchboard.overview(principal) ?? {};
  return { tabs: tabs - tabsElsewhere, agents, callsInFlight };
}
