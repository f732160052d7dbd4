import type { PageCallEvent } from "pagewire/page";
import type { CallerInfo } from "pagewire/toolbox";
import { createStore } from "../store.ts";
import type { Store } from "../store.ts";
import { agentName } from "./agent-label.ts";

/** An agent that has called since the page was loaded. Agents are identified by name and version only. */
export interface SeenAgent extends CallerInfo {
  /** Which one it is, from 0 in the order of their first calls. */
  readonly place: number;
  readonly calls: number;
  readonly running: number;
  /** When its last call began, on the clock of `Date.now()`. */
  readonly lastAt: number;
}

/** The agents seen so far, in the order of their first calls. */
export interface Roster extends Pick<Store<{ readonly agents: readonly SeenAgent[] }>, "watch"> {
  agents(): readonly SeenAgent[];
  /** The agent that made a call, while that runs. */
  callerOf(callId: string): SeenAgent | undefined;
  /** Handles an event of a call. */
  take(event: PageCallEvent): void;
}

/** Max agents in the list; the one that has called least recently is evicted. */
export const mostAgents = 24;

/** Makes an empty roster. */
export function createRoster(now: () => number): Roster {
  const store = createStore<{ readonly agents: readonly SeenAgent[] }>({ agents: [] });
  /** The place of the agent that made each running call. */
  const running = new Map<string, number>();
  let next = 0;

  const agents = (): readonly SeenAgent[] => store.get().agents;
  const agentAt = (place: number | undefined) => agents().find((agent) => agent.place === place);

  function put(changed: SeenAgent): void {
    const isNew = agentAt(changed.place) === undefined;
    const all = agents().map((agent) => (agent.place === changed.place ? changed : agent));
    store.update({ agents: isNew ? [...withRoom(all), changed] : all });
  }

  function start({ id, agent: name, agentVersion: version }: PageCallEvent): void {
    const seen = agents().find((agent) => agent.name === name && agent.version === version);
    const agent = seen ?? { name, version, place: next++, calls: 0, running: 0, lastAt: 0 };
    running.set(id, agent.place);
    put({ ...agent, calls: agent.calls + 1, running: agent.running + 1, lastAt: now() });
  }

  function end({ id }: PageCallEvent): void {
    const agent = agentAt(running.get(id));
    running.delete(id);
    if (agent !== undefined) put({ ...agent, running: agent.running - 1 });
  }

  return {
    watch: store.watch,
    agents,
    callerOf: (callId) => agentAt(running.get(callId)),
    take(event) {
      if (event.event === "started") start(event);
      if (event.event === "ended") end(event);
    },
  };
}

function withRoom(agents: readonly SeenAgent[]): readonly SeenAgent[] {
  if (agents.length < mostAgents) return agents;
  const [leaving] = agents.filter((agent) => agent.running === 0).toSorted((one, other) => one.lastAt - other.lastAt);
  return agents.filter((agent) => agent !== leaving);
}

/** A sentence in two parts; where there is no room, the first one is cut. */
export interface Presence {
  readonly who: string;
  readonly does: string;
}

/** The agent that is using the page; undefined if none is. */
export function presenceOf(agents: readonly SeenAgent[]): Presence | undefined {
  const calling = agents.filter(({ running }) => running > 0);
  const [first, ...others] = calling;
  if (first === undefined) return undefined;
  if (others.length === 0) return { who: agentName(first), does: "is using this page" };
  return { who: `${calling.length} agents`, does: "are using this page" };
}
