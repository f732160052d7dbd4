import { join } from "node:path";
import { startNats } from "../../test/support/start-nats.ts";
import { startClusterChain } from "../harness/cluster-chain.ts";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { holdContest } from "../harness/hold-contest.ts";
import type { Figures, Standings } from "../harness/hold-contest.ts";
import { at, chainTimes, measureChain } from "../harness/measure-chain.ts";
import type { ChainTimes } from "../harness/measure-chain.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { busSizes } from "../pages/answers.ts";
import type { SizeName } from "../pages/answers.ts";

const row = "bus-hop";
const cpu = "CPU µs/call";
const roundTrip = "p50 µs";
const loads = [32, 1] as const;
const most = 1.3;

const about = `What a call takes longer, and of the hubs' CPU, where its page is at another hub than its caller: the figure of a call over
two hubs minus that of one over one hub, in the same round. Results of 200 B, 2 KB and 10 KB.

- **floor**: a round trip of the same bytes over the same NATS server between two Node processes with the same client, each with one
  inbox that lives long, and ids of their own; the CPU is that of both. The server's own CPU is in neither.
- A call is three messages where the floor has two: a page confirms a call before it runs it.`;

/** The way between two hubs, over NATS. */
export const busHop: RowFamily = {
  row,
  title: "From hub to hub",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const { name } of bench.quick ? busSizes.slice(0, 1) : busSizes)
      rows.push(...(await measureSize(name, bench)));
    return rows;
  },
};

async function measureSize(size: SizeName, { quick, rounds, profile }: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  const times = chainTimes(quick);
  try {
    const chainOf = async (hubs: number) => {
      const folder = profile && join(profile, `${row} ${size} ${hubs}`);
      const chain = await startClusterChain({ size, hubs, running, inFlight: loads[0], profile: folder });
      return { connect: chain.connect, cpu: async () => ({ [cpu]: await chain.cpu() }) };
    };
    const [one, two] = [await chainOf(1), await chainOf(2)];
    const contestants = [
      { name: "one hub", measure: () => measureChain(one, loads, times) },
      { name: "two hubs", measure: () => measureChain(two, loads, times) },
      { name: "nats", measure: await roundTrips(size, times, running) },
    ];
    const bars = size === "2 KB" ? { [at(1, cpu)]: most, [roundTrip]: most } : {};
    return await holdContest(contestants, rounds, [{ row, size, bars, of: added }]);
  } finally {
    await running.close();
  }
}

async function roundTrips(size: SizeName, times: ChainTimes, running: ClosingList): Promise<() => Promise<Figures>> {
  const nats = running.add(await startNats()).url;
  const answerer = running.add(await startRole("nats-answerer", { nats, size }));
  const caller = running.add(await startRole("nats-caller", { nats, size }));
  const used = async () => (await answerer.cpu()) + (await caller.cpu());
  return async () => {
    const figures: Record<string, number> = {};
    await caller.load({ milliseconds: times.warmUp, inFlight: loads[0] });
    for (const inFlight of loads) {
      const before = await used();
      const { calls, p50 } = await caller.load({ milliseconds: times.load, inFlight });
      figures[at(inFlight, cpu)] = ((await used()) - before) / calls;
      if (inFlight === 1) figures[roundTrip] = p50;
    }
    return figures;
  };
}

/** Two hubs minus one hub is what the bus takes. */
function added(standings: Standings): Standings {
  const [one = [], two = [], floor = []] = ["one hub", "two hubs", "nats"].map((name) => standings.get(name));
  const metrics = [...loads.map((inFlight) => at(inFlight, cpu)), roundTrip];
  const pagewire = two.map((figures, index) =>
    Object.fromEntries(metrics.map((metric) => [metric, (figures[metric] ?? NaN) - (one[index]?.[metric] ?? NaN)])),
  );
  return new Map([
    ["pagewire", pagewire],
    ["floor", floor],
  ]);
}
