import { startBystander } from "../floods/bystander.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleProcess } from "../harness/role-process.ts";
import type { FloodName } from "../harness/role.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { median, percentile, round } from "../harness/statistics.ts";

const row = "attacks";
const secret = "the-secret-of-a-bench-that-nobody-else-has";
const mostCallTime = 250;
const mostStall = 250;
const mostReturnTime = 20_000;
const calls = "p99 of a bystander's call, ms";

const about = `A hub in jwt mode with its default limits, and a model that obeys whatever it reads. A page and an agent of one
user call 100 times a second, whether or not they have been answered, while another user, or a stranger, does too much; a
call takes from when it is made until its result is read. Attacker, bystander and hub share the machine's cores. A stall is
how long the hub's event loop could do nothing else, at most (looked at every 10 ms, inside). There is no floor.

- **offers, readers, strangers**: as in the floods.
- **patterns**: eight conversations of one user in which the model calls a hostile page's tool, whose schema has the pattern
  \`^(a+)+$\`, with 48 letters that it stumbles over.
- **storm**: the hub's process is ended by \`kill -9\`, and another is started on its port. So many pages, a hundred of each user, with ten
  tools each, come back as the SDK's page does. The time is from the kill until the hub has taken the offers of all.`;

interface Attack {
  readonly flood: FloodName;
  readonly count: number;
  readonly size: string;
}

const attacks: readonly Attack[] = [
  { flood: "offers", count: 90, size: "90 tabs × 15 MB" },
  { flood: "readers", count: 100, size: "100 readers" },
  { flood: "strangers", count: 43, size: "43 strangers/s" },
  { flood: "patterns", count: 8, size: "patterns" },
];

/** The effect of one attacker on everyone else's calls, and how pages return to a hub that was killed. */
export const attacksAndStorm: RowFamily = {
  row,
  title: "Under attack",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    const turns = bench.quick ? 1 : 2;
    for (const attack of attacks)
      rows.push(...rowsOf(attack.size, await inTurns(turns, () => measureAttack(attack, bench))));
    const pages = bench.quick ? 100 : 10_000;
    const size = `storm of ${pages.toLocaleString("en")} pages`;
    return [...rows, ...rowsOf(size, await inTurns(turns, () => measureStorm(pages, bench)))];
  },
};

type Figures = Readonly<Record<string, number>>;

const bars: Figures = {
  [calls]: mostCallTime,
  "longest stall of the hub, ms": mostStall,
  "ms until all are back": mostReturnTime,
};

async function inTurns(count: number, measure: () => Promise<Figures>): Promise<readonly Figures[]> {
  const turns: Figures[] = [];
  while (turns.length < count) turns.push(await measure());
  return turns;
}

function rowsOf(size: string, turns: readonly Figures[]): readonly Row[] {
  return Object.keys(turns[0] ?? {}).map((metric) => {
    const pagewire = round(median(turns.map((figures) => figures[metric] ?? NaN)));
    const bar = bars[metric] ?? null;
    const nothing = { floor: null, peers: {}, ratio: null };
    return {
      row,
      size,
      metric,
      pagewire,
      ...nothing,
      rounds: turns.length,
      bar,
      met: bar === null ? null : pagewire <= bar,
    };
  });
}

async function measureAttack({ flood, count }: Attack, { quick, profile }: Bench): Promise<Figures> {
  const running = createClosingList();
  try {
    const hub = running.add(await startRole("pagewire", { secret }, profile));
    const target = { port: hub.started.port, secret };
    const flooder = running.add(await startRole("flooder", { ...target, flood, count: quick ? 2 : count }));
    const bystander = await startBystander(target);
    await hub.longestStall();
    await flooder.work();
    const times = await bystander.stop();
    return { [calls]: percentile(times, 0.99), "longest stall of the hub, ms": await hub.longestStall() };
  } finally {
    await running.close();
  }
}

async function measureStorm(count: number, { profile }: Bench): Promise<Figures> {
  const running = createClosingList();
  try {
    const first = running.add(await startRole("pagewire", { secret }));
    const target = { port: first.started.port, secret };
    const pages = running.add(await startRole("returning-pages", { ...target, count }));
    const startedAt = performance.now();
    const back = pages.work().then(() => performance.now() - startedAt);
    await first.kill();
    const hub: RoleProcess = running.add(await startRole("pagewire", target, profile));
    const bystander = await startBystander(target);
    const took = await back;
    const times = await bystander.stop();
    return {
      "ms until all are back": took,
      "longest stall of the hub, ms": await hub.longestStall(),
      [calls]: percentile(times, 0.99),
    };
  } finally {
    await running.close();
  }
}
