// Calls of every hub's tabs through every hub, a fault in between, and a check of what pages really ran.
import { setTimeout as pause } from "node:timers/promises";
import type { HubProcess } from "../../e2e/support/hub-process.ts";
import { waitUntil } from "../../e2e/support/wait.ts";
import type { HubsWorld } from "./hubs-world.ts";

export interface FaultResult {
  readonly calls: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Tags that ran more than once. */
  readonly doubles: readonly string[];
  /** Outcomes that are not what happened. */
  readonly lies: readonly string[];
  /** The longest time until an answer, in milliseconds. */
  readonly slowest: number;
  /** Milliseconds from the end of the fault until every page is back. */
  readonly backAfter: number;
}

export const hubFaults = ["kill", "stop", "broker-restart", "partition"] as const;
export type HubFault = (typeof hubFaults)[number];

/** How long each lasts in a long run, in milliseconds. */
export const hubFaultTimes: Readonly<Record<HubFault, number>> = {
  kill: 0,
  stop: 20_000,
  "broker-restart": 2000,
  partition: 10_000,
};

export interface FaultOptions {
  readonly fault: HubFault;
  /** How long the fault lasts, in milliseconds. */
  readonly time: number;
  readonly callers?: number;
  /** Makes the tags of repeated faults different. */
  readonly round?: number;
}

interface Answer {
  readonly outcome: string;
  readonly ran: string;
  readonly error: { readonly code: string } | null;
}

interface Ended extends Answer {
  readonly tag: string;
  readonly milliseconds: number;
}

/** How long calls are made before and after a fault. */
const around = 1500;
/** The most that the repeats of one key may take. */
const mostReturns = 400;

export async function runHubFault(
  world: HubsWorld,
  { fault, time, callers = 12, round = 0 }: FaultOptions,
): Promise<FaultResult> {
  const ended: Ended[] = [];
  const ending = new AbortController();
  // A load balancer that asks for their health sends no agent to a hub that is stopped.
  const victim = await busiest(world);
  const rest = world.hubs.filter((hub) => hub !== victim);
  const hubs = fault === "stop" ? rest : world.hubs;
  const load = Array.from({ length: callers }, (_, number) =>
    makeCalls({ ...world, hubs }, { fault: `${fault}-${round}`, number, ended, ending: ending.signal }),
  );
  await pause(around);
  let since = 0;
  await acts[fault](world, {
    victim,
    last: () => pause(time),
    over: () => void (since = performance.now()),
  });
  const backAfter = await world.back(fault === "kill" ? rest : world.hubs, since);
  await pause(around);
  ending.abort();
  await Promise.all(load);
  if (fault === "kill") await victim.restart();
  await world.back(world.hubs, 0);
  return { ...judge(ended, world.runs), backAfter };
}

/** The hub with the most pages of its own. */
async function busiest({ hubs, token }: HubsWorld): Promise<HubProcess> {
  const counted = await Promise.all(
    hubs.map(async (hub) => {
      const response = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
      return { hub, tabs: Number(/^pagewire_tabs (\d+)$/m.exec(await response.text())?.[1]) };
    }),
  );
  const [most] = counted.toSorted((one, other) => other.tabs - one.tabs);
  if (!most || !(most.tabs > 0)) throw new Error("No hub has a page.");
  return most.hub;
}

interface Moment {
  readonly victim: HubProcess;
  /** Resolves when the fault has lasted long enough. */
  last(): Promise<void>;
  /** The fault is over: from now on, things can get well. */
  over(): void;
}

type Act = (world: HubsWorld, moment: Moment) => Promise<void>;

const acts: Readonly<Record<HubFault, Act>> = {
  async kill({ pages }, { victim, over }) {
    await victim.kill();
    over();
    // Its pages notice a moment later.
    await waitUntil(
      async () => pages.some(({ isConnected }) => !isConnected),
      () => "No page was at this hub.",
    );
  },
  async stop(_, { victim, last, over }) {
    await victim.kill("SIGSTOP");
    await last();
    await victim.kill("SIGCONT");
    over();
  },
  async "broker-restart"({ nats }, { last, over }) {
    await nats.stop("SIGKILL");
    await last();
    await nats.start();
    over();
  },
  async partition({ nats }, { last, over }) {
    nats.pause();
    await last();
    nats.resume();
    over();
  },
};

interface Making {
  readonly fault: string;
  readonly number: number;
  readonly ended: Ended[];
  readonly ending: AbortSignal;
}

/** Every second call has a key, and is repeated at another hub if its connection breaks. */
async function makeCalls(world: HubsWorld, { fault, number, ended, ending }: Making): Promise<void> {
  for (let count = 0; !ending.aborted; count++) {
    const tag = `${fault}-${number}-${count}`;
    const page = world.pages[(number * 7 + count) % world.pages.length];
    const key = count % 2 === 0 ? tag : undefined;
    const since = performance.now();
    const answer = await callOnce(world, { tag, key, tab: page?.tabId ?? "", first: number + count });
    ended.push({ tag, ...answer, milliseconds: performance.now() - since });
    await pause(5);
  }
}

interface OneCall {
  readonly tag: string;
  readonly key: string | undefined;
  readonly tab: string;
  readonly first: number;
}

async function callOnce({ hubs, token }: HubsWorld, { tag, key, tab, first }: OneCall): Promise<Answer> {
  for (let returns = 0; returns < mostReturns; returns++) {
    const hub = hubs[(first + returns) % hubs.length];
    try {
      const response = await fetch(`${hub?.url}/api/call/work`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          "Pagewire-Tab": tab,
          "Pagewire-Timeout": "30",
          ...(key !== undefined && { "Idempotency-Key": key }),
        },
        body: JSON.stringify({ tag, work: first % 5 === 0 ? 300 : 10 }),
      });
      return (await response.json()) as Answer;
    } catch {
      if (key === undefined) return { outcome: "broken", ran: "maybe", error: null };
      await pause(50);
    }
  }
  return { outcome: "never", ran: "maybe", error: null };
}

function judge(ended: readonly Ended[], runs: ReadonlyMap<string, number>): Omit<FaultResult, "backAfter"> {
  const outcomes: Record<string, number> = {};
  const lies: string[] = [];
  const doubles: string[] = [];
  for (const { tag, outcome, ran, error } of ended) {
    const name = error ? `${outcome} (${error.code}, ran: ${ran})` : outcome;
    outcomes[name] = (outcomes[name] ?? 0) + 1;
    const count = runs.get(tag) ?? 0;
    if (count > 1) doubles.push(tag);
    if ((outcome === "ok" && count !== 1) || (ran === "no" && count > 0))
      lies.push(`${tag}: ${name}, ran ${count} times`);
  }
  const slowest = Math.round(Math.max(...ended.map(({ milliseconds }) => milliseconds)));
  return { calls: ended.length, outcomes, doubles, lies, slowest };
}
