import { agentName } from "./agent-label.ts";
import type { SeenAgent } from "./roster.ts";

/** A sentence in two parts; where there is no room, the first one is cut. */
export interface Presence {
  readonly who: string;
  readonly does: string;
}

/** Who is using the page; undefined while nobody is. */
export function presenceOf(agents: readonly SeenAgent[]): Presence | undefined {
  const calling = agents.filter(({ running }) => running > 0);
  const [first, ...others] = calling;
  if (first === undefined) return undefined;
  if (others.length === 0) return { who: agentName(first), does: "is using this page" };
  return { who: `${calling.length} agents`, does: "are using this page" };
}
