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
  /** Milliseconds until a hub without the broker refused by name; undefined for other faults. */
  readonly refusedAfter: number | undefined;
  /** Keys of calls that were ok, sent again to another hub at the end. */
  readonly keysKept: number;
  readonly keysLost: readonly string[];
}

/** The last one can be caused once in a world. */
export const hubFaults = [
  "kill",
  "stop",
  "broker-restart",
  "partition",
  "cut-off",
  "database-restart",
  "database-failover",
] as const;
export type HubFault = (typeof hubFaults)[number];

/** How long each lasts in a long run, in milliseconds. */
export const hubFaultTimes: Readonly<Record<HubFault, number>> = {
  kill: 0,
  stop: 20_000,
  "broker-restart": 2000,
  partition: 10_000,
  "cut-off": 10_000,
  "database-restart": 2000,
  "database-failover": 0,
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

interface Ended extends Answer, OneCall {
  readonly milliseconds: number;
}

/** How long calls are made before and after a fault. */
const around = 1500;
/** So many keys are sent again after a fault. */
const mostKeysAgain = 40;
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
  let refusedAfter: number | undefined;
  await acts[fault](world, {
    victim,
    last: () => pause(time),
    over: () => void (since = performance.now()),
    refused: (after) => void (refusedAfter = after),
  });
  const backAfter = await world.back(fault === "kill" ? rest : world.hubs, since);
  await pause(around);
  ending.abort();
  await Promise.all(load);
  if (fault === "kill") await victim.restart();
  await world.back(world.hubs, 0);
  const keys = await askAgain(world, ended);
  return { ...judge(ended, world.runs), ...keys, backAfter, refusedAfter };
}

/** Sends some keys again to hubs that they were not sent to. */
async function askAgain(
  world: HubsWorld,
  ended: readonly Ended[],
): Promise<Pick<FaultResult, "keysKept" | "keysLost">> {
  const kept = ended.filter(({ key, outcome }) => key !== undefined && outcome === "ok");
  const some = kept.filter((_, at) => at % Math.ceil(kept.length / mostKeysAgain) === 0);
  const keysLost: string[] = [];
  for (const { tag, key, tab, first } of some) {
    const { outcome } = await callOnce(world, { tag, key, tab, first, turn: 1 });
    if (outcome !== "ok" || world.runs.get(tag) !== 1) keysLost.push(`${tag}: ${outcome}`);
  }
  return { keysKept: some.length - keysLost.length, keysLost };
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
  /** A hub refused a call by name, so long after the fault began. */
  refused(after: number): void;
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
  async "cut-off"(world, { victim, last, over, refused }) {
    const way = world.brokerWays[world.hubs.indexOf(victim)];
    way?.pause(undefined, "drop");
    refused(await untilRefused(world, victim));
    await last();
    way?.reset();
    way?.resume();
    over();
  },
  async "database-restart"({ database: { server } }, { last, over }) {
    await server.stop("SIGKILL");
    await last();
    await server.start();
    over();
  },
  async "database-failover"({ database }, { over }) {
    await database.failOver();
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
    const call = { tag, key, tab: page?.tabId ?? "", first: number + count };
    const answer = await callOnce(world, call);
    ended.push({ ...call, ...answer, milliseconds: performance.now() - since });
    await pause(5);
  }
}

interface OneCall {
  readonly tag: string;
  readonly key: string | undefined;
  readonly tab: string;
  /** Decides about the hub that is asked first. */
  readonly first: number;
  /** How many hubs further that is. */
  readonly turn?: number;
}

async function callOnce({ hubs, token }: HubsWorld, call: OneCall): Promise<Answer> {
  const { key, first, turn = 0 } = call;
  for (let returns = 0; returns < mostReturns; returns++) {
    const hub = hubs[(first + turn + returns) % hubs.length];
    try {
      return await post(hub?.url ?? "", token, call);
    } catch {
      if (key === undefined) return { outcome: "broken", ran: "maybe", error: null };
      await pause(50);
    }
  }
  return { outcome: "never", ran: "maybe", error: null };
}

async function post(url: string, token: string, { tag, key, tab, first }: OneCall): Promise<Answer> {
  const response = await fetch(`${url}/api/call/work`, {
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
}

/** Calls the tabs of other hubs, all at once and again and again, until one is refused by name; returns the milliseconds. */
async function untilRefused({ pages, token }: HubsWorld, { url }: HubProcess): Promise<number> {
  const since = performance.now();
  let refusedAt: number | undefined;
  for (let count = 0; refusedAt === undefined; count++) {
    const call = {
      tag: `refused-${since}-${count}`,
      key: undefined,
      tab: pages[count % pages.length]?.tabId ?? "",
      first: 1,
    };
    void post(url, token, call).then(
      ({ error }) => error?.code === "bus-unavailable" && (refusedAt ??= performance.now()),
      () => {},
    );
    await pause(20);
  }
  return Math.round(refusedAt - since);
}

type Judged = Pick<FaultResult, "calls" | "outcomes" | "doubles" | "lies" | "slowest">;

function judge(ended: readonly Ended[], runs: ReadonlyMap<string, number>): Judged {
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
