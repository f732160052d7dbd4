// Many questions tire people into a yes: an agent that the person refused three times in a row at a site is refused unasked for a
// minute, also after each further refusal.
import type { Stored } from "./stored.ts";

export interface Refusals {
  /** Whether the person is not to be asked about this agent now. */
  areMany(origin: string, agent: string): Promise<boolean>;
  answered(origin: string, agent: string, isRefused: boolean): Promise<void>;
}

interface Refused {
  readonly origin: string;
  readonly agent: string;
  /** In a row. */
  readonly count: number;
  readonly at: number;
}

const name = "refusals";
const many = 3;
/** In milliseconds. */
const restTime = 60_000;
const keptMost = 100;

export function createRefusals(session: Stored, now: () => number): Refusals {
  const isOf = (origin: string, agent: string) => (each: Refused) => each.origin === origin && each.agent === agent;
  const read = (stored: unknown) => (stored ?? []) as readonly Refused[];

  return {
    async areMany(origin, agent) {
      const known = read(await session.get(name)).find(isOf(origin, agent));
      return known !== undefined && known.count >= many && now() - known.at < restTime;
    },
    answered: (origin, agent, isRefused) =>
      session.change(name, (stored) => {
        const before = read(stored);
        const known = before.find(isOf(origin, agent));
        const others = before.filter((each) => each !== known);
        const next = isRefused ? [...others, { origin, agent, count: (known?.count ?? 0) + 1, at: now() }] : others;
        return next.length > 0 ? next.slice(-keptMost) : undefined;
      }),
  };
}
