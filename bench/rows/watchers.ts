import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { holdContest } from "../harness/hold-contest.ts";
import type { Contestant } from "../harness/hold-contest.ts";
import { chainTimes } from "../harness/measure-chain.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, RowFamily } from "../harness/row.ts";
import { runLoad } from "../harness/run-load.ts";

const row = "watchers";
const perCall = "µs per call, 32 in flight";
/** A quarter less throughput. */
const mostSlower = 1 / 0.75;
const call = { size: "200 B", inFlight: 32 } as const;

const about = `The chain of "Hub hop in Node" at 200 B, without and with agents that watch every call, all in one process, each a
client of \`pagewire/hub-client\` that reads every event it is sent. The floor is the hub that nobody watches. Hub, page,
callers and watchers share the machine: time per call has in it what the watchers themselves take of it.`;

/** The cost of watching agents. */
export const watchers: RowFamily = {
  row,
  title: "Agents that watch",
  about,
  async measure(bench) {
    const running = createClosingList();
    try {
      const contestants: Contestant[] = [];
      for (const crowd of crowds) contestants.push(await startHub(crowd, bench, running));
      const question = { row, size: `${most} watchers`, bars: { [perCall]: mostSlower } };
      return await holdContest(contestants, bench.rounds, [question]);
    } finally {
      await running.close();
    }
  },
};

const most = 100;
const crowds = [
  { name: "floor", count: 0 },
  { name: "pagewire", count: most },
  { name: "10 watchers", count: 10 },
];

async function startHub(
  { name, count }: (typeof crowds)[number],
  { quick }: Bench,
  running: ClosingList,
): Promise<Contestant> {
  const hub = running.add(await startRole("pagewire", { agentToken }));
  const { port } = hub.started;
  running.add(await startRole("pages", { port, speaker: "wire" }));
  const connect = await prepareCallers({ port, ...call });
  const agents = count === 0 ? undefined : running.add(await startRole("watching-agents", { port, count, agentToken }));
  const times = chainTimes(quick);
  return {
    name,
    async measure() {
      const callers = await connect();
      try {
        await runLoad(callers, times.warmUp);
        const before = await hub.cpu();
        const { calls, seconds } = await runLoad(callers, times.load);
        const cpu = (await hub.cpu()) - before;
        await agents?.work();
        return { [perCall]: (seconds * 1e6) / calls, "hub CPU µs/call, 32 in flight": cpu / calls };
      } finally {
        for (const caller of callers) await caller.close();
      }
    },
  };
}
