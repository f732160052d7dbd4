// Agents that come without a connection of their own: those of one credential, name and version are one.
import type { AgentSession, Switchboard } from "../../switchboard/index.ts";
import type { Admitted } from "../guard/admitted.ts";

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

/** So many are remembered; the one that was not heard of for longest is forgotten first. */
const most = 1000;

export function createCallers(switchboard: Switchboard): Callers {
  const sessions = new Map<string, AgentSession>();
  /** The one heard of last: it need not be looked for, nor moved to the end. */
  let latest: Known | undefined;

  function find({ principal, credential }: Admitted, { name, version }: AgentName): AgentSession {
    const identity = JSON.stringify([credential, name, version]);
    const key = `${principal} ${identity}`;
    const session = sessions.get(key) ?? switchboard.agent({ principal, identity, name, version });
    sessions.delete(key);
    sessions.set(key, session);
    for (const [oldest, idle] of sessions) {
      if (sessions.size <= most) break;
      sessions.delete(oldest);
      idle.close();
    }
    return session;
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
