import type { CallerInfo } from "pagewire/toolbox";
import { createStore } from "../store.ts";
import type { Store } from "../store.ts";
import type { AgentCall } from "./call-feed.ts";

/** An agent that has called since the page was loaded. Agents are told apart by name and version: they say no more. */
export interface SeenAgent extends CallerInfo {
  /** Which one it is, from 0 in the order of their first calls. */
  readonly place: number;
  readonly calls: number;
  readonly running: number;
  /** When its last call began, on the clock of `Date.now()`. */
  readonly lastAt: number;
  /** Whether it has told its version, or that it has none. */
  readonly isKnown: boolean;
}

/** The agents seen so far, in the order of their first calls. */
export interface Roster extends Pick<Store<{ readonly agents: readonly SeenAgent[] }>, "watch"> {
  agents(): readonly SeenAgent[];
  /** The agent that made a call, while that runs. */
  callerOf(callId: string): SeenAgent | undefined;
  /** Takes one moment of a call. */
  take(call: AgentCall): void;
}

/** As many as a page can be expected to tell of; whoever has called least recently makes room. */
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

  function start({ id, agent: name, caller }: AgentCall): void {
    const agent = findCaller(agents(), name, caller) ?? newAgent(name, next++);
    running.set(id, agent.place);
    const isKnown = agent.isKnown || caller !== undefined;
    put({ ...agent, ...caller, isKnown, calls: agent.calls + 1, running: agent.running + 1, lastAt: now() });
  }

  function end({ id }: AgentCall): void {
    const agent = agentAt(running.get(id));
    running.delete(id);
    if (agent !== undefined) put({ ...agent, running: agent.running - 1 });
  }

  return {
    watch: store.watch,
    agents,
    callerOf: (callId) => agentAt(running.get(callId)),
    take(call) {
      if (call.event === "started") start(call);
      if (call.event === "ended") end(call);
    },
  };
}

function newAgent(name: string, place: number): SeenAgent {
  return { name, place, calls: 0, running: 0, lastAt: 0, isKnown: false };
}

/** A call that was refused before its caller was told is the only agent's of that name, else of one that is not known. */
function findCaller(agents: readonly SeenAgent[], name: string, caller: CallerInfo | undefined): SeenAgent | undefined {
  const same = agents.filter((agent) => agent.name === name);
  const unknown = same.find(({ isKnown }) => !isKnown);
  if (caller === undefined) return same.length === 1 ? same[0] : unknown;
  return same.find(({ isKnown, version }) => isKnown && version === caller.version) ?? unknown;
}

function withRoom(agents: readonly SeenAgent[]): readonly SeenAgent[] {
  if (agents.length < mostAgents) return agents;
  const [leaving] = agents.filter((agent) => agent.running === 0).toSorted((one, other) => one.lastAt - other.lastAt);
  return agents.filter((agent) => agent !== leaving);
}
