import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { chainTimes, measureHub } from "../harness/measure-chain.ts";
import type { ChainTimes } from "../harness/measure-chain.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleProcess } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { settledMemory } from "../harness/settled-memory.ts";
import { isSettled, median, round } from "../harness/statistics.ts";
import { variantsOf } from "../harness/variants.ts";
import type { Variant } from "../harness/variants.ts";

const row = "idle-tabs";
const toolCount = 10;
const call = { size: "200 B", inFlight: 32 } as const;
const mostBytes = 14 * 1024;
const mostSlower = 1.2;

const about = `Tabs of one app that offer the same ten tools each and do nothing, beside one tab that is called. Memory is what
the hub's process grew by from one tab to all of them, the least of several readings after garbage collections. CPU per call is measured in turns with a
hub that has one tab; a call names no tab, so that Pagewire chooses among all of them. Other hubs by hand would
hold their sockets as the one here does. The floor keeps a socket and a reference to the text of its offer.`;

/** Ten thousand tabs that do nothing. */
export const idleTabs: RowFamily = {
  row,
  title: "Idle tabs",
  about,
  async measure(bench) {
    const count = bench.quick ? 100 : 10_000;
    const found = new Map<string, IdleFigures>();
    for (const variant of variantsOf("floor", "pagewire", "hand-written ws")) {
      found.set(variant.name, await measureVariant(variant, count, bench));
    }
    return rowsOf(found, `${count.toLocaleString("en")} tabs`);
  },
};

interface IdleFigures {
  readonly heapPerTab: number;
  readonly rssPerTab: number;
  readonly cpuPerCall: number;
  /** CPU per call with all tabs over that with one. */
  readonly slower: number;
}

async function measureVariant(variant: Variant, count: number, { quick, rounds }: Bench): Promise<IdleFigures> {
  const running = createClosingList();
  const times = chainTimes(quick);
  const startHub = async () => running.add(await startRole(variant.hub, { agentToken }));
  const openTabs = async (hub: RoleProcess, tabs: number) => {
    const { port } = hub.started;
    running.add(await startRole("pages", { port, speaker: variant.speaker, count: tabs, toolCount }));
  };
  try {
    const [few, many] = [await startHub(), await startHub()];
    await openTabs(few, 1);
    await openTabs(many, 1);
    // A process that has worked before holds the code and the young heap that working needs.
    await cpuPerCall(many, times);
    const before = await settledMemory(many, quick);
    await openTabs(many, count - 1);
    await cpuPerCall(many, times);
    const after = await settledMemory(many, quick);

    const turns: { readonly one: number; readonly all: number }[] = [];
    for (let turn = 0; turn < rounds; turn++) {
      turns.push({ one: await cpuPerCall(few, times), all: await cpuPerCall(many, times) });
      if (
        isSettled(
          turns.map(({ one, all }) => all / one),
          mostSlower,
        )
      )
        break;
    }
    return {
      heapPerTab: (after.heapBytes - before.heapBytes) / (count - 1),
      rssPerTab: (after.rssBytes - before.rssBytes) / (count - 1),
      cpuPerCall: median(turns.map(({ all }) => all)),
      slower: median(turns.map(({ one, all }) => all / one)),
    };
  } finally {
    await running.close();
  }
}

async function cpuPerCall(hub: RoleProcess, times: ChainTimes): Promise<number> {
  const connect = await prepareCallers({ port: hub.started.port, ...call });
  return measureHub({ connect, cpu: hub.cpu }, times);
}

function rowsOf(found: ReadonlyMap<string, IdleFigures>, size: string): readonly Row[] {
  const rowOf = (metric: string, of: (figures: IdleFigures) => number, bar: number | null): Row => {
    const figures = [...found].map(([name, all]) => [name, round(of(all))] as const);
    const { pagewire = NaN, floor = NaN, ...peers } = Object.fromEntries(figures);
    return { row, size, metric, pagewire, floor, peers, ratio: null, bar, met: bar === null ? null : pagewire <= bar };
  };
  return [
    rowOf("hub heap, bytes/tab", ({ heapPerTab }) => heapPerTab, mostBytes),
    rowOf("hub RSS, bytes/tab", ({ rssPerTab }) => rssPerTab, mostBytes),
    rowOf("hub CPU per call over that with one tab", ({ slower }) => slower, mostSlower),
    rowOf("hub CPU µs/call", ({ cpuPerCall: value }) => value, null),
  ];
}
