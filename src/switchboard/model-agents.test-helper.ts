// Simulated agents: they call, change their minds, lose their connection, come back and ask again.
import { textOf } from "../wire/index.ts";
import type { Payload } from "../wire/index.ts";
import type { CallListener, CallRequest } from "./types.ts";
import { outcomesOf } from "./model-history.test-helper.ts";
import type { Attempt, Behaviour, Heard, Operation } from "./model-history.test-helper.ts";
import type { SimulatedHub } from "./model-hub.test-helper.ts";
import type { World } from "./model-world.test-helper.ts";
import type { AgentSession } from "./switchboard.ts";

/** A task for an agent. */
export interface Errand {
  readonly agent: number;
  /** The index of the tool in the list. */
  readonly tool: number;
  /** The tab that it names, and how; only "astray" may name one of another principal. */
  readonly tab: number;
  readonly isAstray: boolean;
  readonly aim: "none" | "request" | "argument" | "call_tab_tool";
  readonly isKeyed: boolean;
  readonly left: number;
  readonly behaviour: Behaviour;
}

export interface SimulatedAgents {
  /** The number of the current request, as its agent counts. */
  readonly requestNumber: () => number;
  call(errand: Errand): void;
  /** Repeats one of the last operations if it has a key; perhaps by another agent. */
  repeat(ago: number, agent: number): void;
  cancel(ago: number): void;
  /** Cuts an agent off, and brings it back later; the hub notices the cut after `notice`. */
  cut(agent: number, back: number, notice: number): void;
  hubGone(isKilled: boolean): void;
  hubBack(): void;
  /** All agents leave for good. */
  close(): void;
}

interface Agent {
  readonly index: number;
  readonly principal: string;
  session: AgentSession | undefined;
  requests: number;
}

interface AgentsOptions {
  readonly world: World;
  readonly hub: () => SimulatedHub | undefined;
  /** The principal of every agent. */
  readonly principals: readonly string[];
  readonly tabs: () => readonly { readonly principal: string; readonly tabId: string }[];
}

export function createSimulatedAgents({ world, hub, principals, tabs }: AgentsOptions): SimulatedAgents {
  const { clock, random, history, planted } = world;
  const agents = principals.map((principal, index): Agent => ({ index, principal, session: undefined, requests: 0 }));
  let requestNumber = 0;
  let isClosed = false;

  function open(agent: Agent): void {
    const switchboard = hub()?.switchboard;
    if (!switchboard || agent.session || isClosed) return;
    const { principal, index } = agent;
    const identity = `${principal}.agent-${index}`;
    agent.session = switchboard.agent({ principal, identity, name: identity });
    for (const operation of history.operations) {
      const last = operation.attempts.at(-1);
      if (last?.agent === index && isOwed(last)) attempt(agent, operation);
    }
  }

  function attempt(agent: Agent, operation: Operation): void {
    const { session, index } = agent;
    const number = hub()?.number;
    if (!session || number === undefined) return;
    const made: Attempt = {
      operation,
      agent: index,
      hub: number,
      begunAt: clock.now(),
      get callId() {
        return made.handle?.id ?? "";
      },
      handle: undefined,
      heard: [],
      leftAt: undefined,
      cutAt: undefined,
      cancelledAt: undefined,
      isLost: false,
    };
    operation.attempts.push(made);
    requestNumber = ++agent.requests;
    const listener = listen(made);
    made.handle = session.call(
      { ...operation.request, asks: ["elicitation/create"] },
      planted === "outcome twice" ? endedTwice(listener) : listener,
    );
  }

  function listen(made: Attempt): CallListener {
    const hear = (what: Heard["what"], text: string, more: Partial<Heard> = {}) => {
      if (!made.handle) history.leaks.push(`"${what}" was heard before the call had returned.`);
      made.heard.push({ what, text, at: clock.now(), ...more });
    };
    return {
      ended: (outcome) => hear("ended", textOf(outcome.payload ?? ""), { outcome }),
      acked: () => hear("acked", ""),
      progress: (_progress, _total, message) => hear("progress", message ?? ""),
      log: (_level, data) => hear("log", textOf(data)),
      ask(ask, _method, parameters) {
        hear("ask", textOf(parameters));
        const payload = JSON.stringify({ operation: made.operation.id });
        clock.after(random(1000), () => made.handle?.answer(ask, { payload }));
      },
    };
  }

  function endedTwice(listener: CallListener): CallListener {
    return {
      ...listener,
      ended(outcome) {
        listener.ended(outcome);
        clock.after(1, () => listener.ended(outcome));
      },
    };
  }

  /** An agent loses its connection; the hub notices some time later. */
  function leave(agent: Agent, notice: number): void {
    const { session } = agent;
    const left = pending().filter(({ agent: index }) => index === agent.index);
    for (const one of left) one.leftAt = clock.now();
    agent.session = undefined;
    const hear = () => {
      for (const one of left.filter(({ isLost }) => !isLost)) {
        one.cutAt = clock.now();
        one.handle?.cut();
      }
      session?.close();
    };
    if (notice === 0) hear();
    else clock.after(notice, hear);
  }

  const pending = () =>
    history.operations.flatMap(({ attempts }) => attempts).filter((one) => isInFlight(one) && one.leftAt === undefined);

  return {
    requestNumber: () => requestNumber,
    call(errand) {
      const agent = agents[errand.agent % agents.length];
      if (!agent?.session) return;
      const names = agent.session
        .offer()
        .tools.map(({ name }) => name)
        .slice(3);
      const name = names[errand.tool % Math.max(1, names.length)] ?? "act";
      const id = `operation-${history.operations.length}`;
      const candidates = tabs().filter(({ principal }) => errand.isAstray || principal === agent.principal);
      const tab = candidates[errand.tab % candidates.length]?.tabId ?? "";
      const request = requestFor({ ...errand, tab, name, operation: id });
      const operation: Operation = {
        id,
        principal: agent.principal,
        request,
        behaviour: errand.behaviour,
        isReadOnly: request.name.includes("look"),
        attempts: [],
      };
      history.operations.push(operation);
      attempt(agent, operation);
    },
    repeat(ago, by) {
      const operation = history.operations.at(-1 - ago);
      const agent = agents[by % agents.length];
      if (operation?.request.key === undefined || agent?.principal !== operation.principal) return;
      attempt(agent, operation);
    },
    cancel(ago) {
      const all = pending();
      const one = all.at(-1 - ago);
      if (!one) return;
      one.cancelledAt = clock.now();
      one.handle?.cancel();
    },
    cut(index, back, notice) {
      const agent = agents[index % agents.length];
      if (!agent?.session) return;
      leave(agent, notice);
      clock.after(back, () => open(agent));
    },
    hubGone(isKilled) {
      const all = history.operations.flatMap(({ attempts }) => attempts);
      if (isKilled) for (const one of all.filter(isInFlight)) one.isLost = true;
      for (const agent of agents) {
        if (!isKilled) leave(agent, 0);
        agent.session = undefined;
      }
    },
    hubBack() {
      for (const agent of agents) clock.after(random(1000), () => open(agent));
    },
    close() {
      isClosed = true;
      for (const agent of agents) leave(agent, 0);
    },
  };
}

/** Whether the hub still owes an answer, as far as it knows. */
function isInFlight(attempt: Attempt): boolean {
  return outcomesOf(attempt).length === 0 && attempt.cutAt === undefined && !attempt.isLost;
}

/** Whether the agent never received the outcome, and would ask again. */
function isOwed({ heard, leftAt, isLost }: Attempt): boolean {
  const wasTold = heard.some(({ what, at }) => what === "ended" && at <= (leftAt ?? Infinity));
  return !wasTold && (leftAt !== undefined || isLost);
}

interface Request extends Pick<Errand, "aim" | "isKeyed" | "left"> {
  readonly tab: string;
  readonly name: string;
  readonly operation: string;
}

function requestFor({ aim, tab, isKeyed, left, name, operation }: Request): CallRequest {
  const request = { method: "tools/call", name, left, ...(isKeyed ? { key: `key-of-${operation}` } : {}) } as const;
  const given = (more: object): Payload => JSON.stringify({ operation, ...more });
  switch (aim) {
    case "none":
      return { ...request, arguments: given({}) };
    case "request":
      return { ...request, arguments: given({}), tab };
    case "argument":
      return { ...request, arguments: given({ tabId: tab }) };
    case "call_tab_tool":
      return {
        ...request,
        name: "call_tab_tool",
        arguments: JSON.stringify({ tabId: tab, name: "act", arguments: { operation } }),
      };
  }
}
