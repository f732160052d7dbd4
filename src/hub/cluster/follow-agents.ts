// A switchboard whose agents' principals are followed at other hubs, and whose counts are those of this hub's own tabs.
import type { Switchboard } from "../../switchboard/index.ts";

export interface Follower {
  /** An agent of a principal is here; the returned function is for when it leaves. */
  readonly agentCame: (principal: string) => () => void;
  /** The number of tabs of other hubs. */
  readonly remoteTabs: () => number;
}

export function followAgents(switchboard: Switchboard, { agentCame, remoteTabs }: Follower): Switchboard {
  return {
    ...switchboard,
    agent: (identity) => {
      const session = switchboard.agent(identity);
      const left = agentCame(identity.principal);
      let isOpen = true;
      return {
        ...session,
        close: () => {
          if (isOpen) left();
          isOpen = false;
          session.close();
        },
      };
    },
    counts: () => {
      const counts = switchboard.counts();
      return { ...counts, tabs: counts.tabs - remoteTabs() };
    },
  };
}
