// Agents that come without a connection of their own: those of one credential, name and version are one.
import type { AgentSession, Switchboard } from "../../switchboard/index.ts";
import type { Admitted } from "../guard/admitted.ts";
import { ofBusiestPrincipal } from "./of-busiest-principal.ts";

/** What an agent's program calls itself. */
export interface AgentName {
  readonly name: string;
  readonly version?: string | undefined;
}

export interface Callers {
  of(admitted: Admitted, agent: AgentName): AgentSession;
}

interface Known {
  readonly admitted: Admitted;
  readonly agent: AgentName;
  readonly session: AgentSession;
}

/** Remembers so many. Of the principal with the most, the one that was not heard of for longest is forgotten first. */
export function createCallers(switchboard: Pick<Switchboard, "agent">, most: number): Callers {
  const sessions = new Map<string, { readonly principal: string; readonly session: AgentSession }>();
  /** The one heard of last: it need not be looked for, nor moved to the end. */
  let latest: Known | undefined;

  function find({ principal, credential }: Admitted, { name, version }: AgentName): AgentSession {
    const identity = JSON.stringify([credential, name, version]);
    const key = `${principal} ${identity}`;
    const known = sessions.get(key) ?? {
      principal,
      session: switchboard.agent({ principal, identity, name, version }),
    };
    sessions.delete(key);
    if (sessions.size >= most) forgetOne();
    sessions.set(key, known);
    return known.session;
  }

  function forgetOne(): void {
    const [oldest] = ofBusiestPrincipal([...sessions], ([, { principal }]) => principal);
    if (!oldest) return;
    const [key, { session }] = oldest;
    sessions.delete(key);
    session.close();
  }

  return {
    of(admitted, agent) {
      if (!latest || !isSame(latest, admitted, agent)) latest = { admitted, agent, session: find(admitted, agent) };
      return latest.session;
    },
  };
}

function isSame(
  { admitted, agent }: Known,
  { principal, credential }: Admitted,
  { name, version }: AgentName,
): boolean {
  return (
    admitted.principal === principal &&
    admitted.credential === credential &&
    agent.name === name &&
    agent.version === version
  );
}
