import { join } from "node:path";
import { startClusterChain } from "../harness/cluster-chain.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { holdContest } from "../harness/hold-contest.ts";
import { barsOf, chainTimes, measureChain } from "../harness/measure-chain.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { busSizes } from "../pages/answers.ts";
import type { SizeName } from "../pages/answers.ts";

const row = "cluster";
const hubCpu = "CPU µs/call of all hubs";
const loads = [32, 1] as const;
const mostCpu = 1.8;

const about = `Calls by HTTP to a page in Node, as in hub-hop, with one hub, two and three. One hub alone is the floor: caller and page are both
at it, and it has no NATS. Of several hubs one has the page and the others the callers, so that each call runs through two. Everything
shares this machine's processors, the NATS server too: calls/s say what one machine does, not what several would.`;

/** One hub, two and three. */
export const cluster: RowFamily = {
  row,
  title: "Several hubs",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const { name } of bench.quick ? busSizes.slice(0, 1) : busSizes)
      rows.push(...(await measureSize(name, bench)));
    return rows;
  },
};

const contestants = [
  { name: "floor", hubs: 1 },
  { name: "pagewire", hubs: 2 },
  { name: "three hubs", hubs: 3 },
] as const;

async function measureSize(size: SizeName, { quick, rounds, profile }: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  const times = chainTimes(quick);
  try {
    const all = [];
    for (const { name, hubs } of contestants) {
      const folder = profile && join(profile, `${row} ${size} ${name}`);
      const chain = await startClusterChain({ size, hubs, running, inFlight: loads[0], profile: folder });
      const cpu = async () => ({ [hubCpu]: await chain.cpu() });
      all.push({ name, measure: () => measureChain({ connect: chain.connect, cpu }, loads, times) });
    }
    return await holdContest(all, rounds, [{ row, size, bars: barsOf(hubCpu, { 32: mostCpu }) }]);
  } finally {
    await running.close();
  }
}
