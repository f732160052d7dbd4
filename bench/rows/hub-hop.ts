import { join } from "node:path";
import { createClosingList } from "../harness/closing-list.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { holdContest } from "../harness/hold-contest.ts";
import { barsOf, chainTimes, measureChain } from "../harness/measure-chain.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { variants } from "../harness/variants.ts";
import { sizes } from "../pages/answers.ts";
import type { Size } from "../pages/answers.ts";

const row = "hub-hop";
const hubCpu = "hub CPU µs/call";
const bars: Readonly<Record<Size["name"], Readonly<Record<number, number>>>> = {
  "200 B": { 32: 1.3 },
  "10 KB": { 32: 1.2 },
  "1 MB": { 8: 1.15 },
};

const about = `A raw HTTP client on keep-alive connections → hub → WebSocket → a page that is a Node process → back.
Small arguments; results of 200 B, 10 KB and 1 MB, the larger two of many small JSON fields. Every client sends the same
bytes; every page parses the arguments and serialises the result. CPU and calls/s are taken with the calls in flight that
the row names, latency with one.

- **floor**: node:http and ws; reads the body, prefixes an id, one send, splices the answer. No JSON, no guards.
- **batching floor**: the same, but messages of one turn of the event loop leave as one, both ways, as Pagewire's do.
- **hand-written ws**: node:http and ws with JSON.parse and JSON.stringify. **birpc**: birpc over ws behind the same
  HTTP server. **express**, **fastify**: those servers with their own JSON, and the pages of the hub by hand.`;

/** Client to hub to a page in Node, and back. */
export const hubHop: RowFamily = {
  row,
  title: "Hub hop in Node",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const size of bench.quick ? sizes.slice(0, 1) : sizes) rows.push(...(await measureSize(size, bench)));
    return rows;
  },
};

async function measureSize(size: Size, { quick, rounds, profile }: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  const times = chainTimes(quick);
  try {
    const contestants = [];
    for (const { name, hub: role, speaker } of variants) {
      const hub = running.add(
        await startRole(role, { agentToken }, profile && join(profile, `${row} ${size.name} ${name}`)),
      );
      const { port } = hub.started;
      running.add(await startRole("pages", { port, speaker }));
      const connect = await prepareCallers({ port, size: size.name, inFlight: size.inFlight[0] });
      const cpu = async () => ({ [hubCpu]: await hub.cpu() });
      contestants.push({ name, measure: () => measureChain({ connect, cpu }, size.inFlight, times) });
    }
    return await holdContest(contestants, rounds, [{ row, size: size.name, bars: barsOf(hubCpu, bars[size.name]) }]);
  } finally {
    await running.close();
  }
}
