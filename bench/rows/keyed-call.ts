import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres, howToGetPostgres } from "../../scripts/find-postgres.mjs";
import { startPostgres } from "../../test/support/start-postgres.ts";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { chainTimes, measureChain } from "../harness/measure-chain.ts";
import { mainThread, measureCost } from "../harness/measure-cost.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";

const row = "keyed-call";
const more = "hub main-thread CPU µs more for a key";
const loads = [8, 1] as const;
const bars: Readonly<Record<number, number>> = { 8: 60, 1: 100 };

const about = `The chain of "Hub hop in Node" at 200 B, with a key at each call and without: Pagewire with keys, the floor is the same
hub without them. A key is written into the hub's database before its call is given to the page, and its outcome before it is
told. The hub keeps its audit of both. What a key costs is the CPU of the hub's main thread, as Linux counts it, which is what
other calls wait for; the database's own work is in a thread of the hub's, and of PostgreSQL's in processes. Both databases
wait for the disk.`;

/** The cost of a call's idempotency key for a hub. */
export const keyedCall: RowFamily = {
  row,
  title: "Calls with a key",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const { name, open } of databases) {
      const running = createClosingList();
      try {
        const database = await open(running);
        if (database === undefined) console.log(`Without ${name}. ${howToGetPostgres}`);
        else rows.push(...(await measureDatabase(name, { database, bench, running })));
      } finally {
        await running.close();
      }
    }
    return rows;
  },
};

const databases = [
  { name: "SQLite", open: async (running: ClosingList) => join(running.add(newFolder()).path, "pagewire.db") },
  {
    name: "PostgreSQL",
    async open(running: ClosingList) {
      if (findPostgres() === undefined) return undefined;
      return running.add(await startPostgres({ waitsForDisk: true })).newDatabase();
    },
  },
];

function newFolder() {
  const path = mkdtempSync(join(tmpdir(), "pagewire-bench-"));
  return { path, close: () => rmSync(path, { recursive: true, force: true }) };
}

interface Setting {
  readonly database: string;
  readonly bench: Bench;
  readonly running: ClosingList;
}

async function measureDatabase(size: string, { database, bench, running }: Setting): Promise<readonly Row[]> {
  const profile = bench.profile && join(bench.profile, `${row} ${size}`);
  const hub = running.add(await startRole("pagewire", { agentToken, database }, profile));
  const { port } = hub.started;
  running.add(await startRole("pages", { port, speaker: "wire" }));
  const times = chainTimes(bench.quick);
  const cpu = async () => ({ [mainThread]: await hub.mainThreadCpu(), "hub CPU µs/call": await hub.cpu() });
  const turnOf = async (hasKeys: boolean) => {
    const connect = await prepareCallers({ port, size: "200 B", inFlight: loads[0], hasKeys });
    return () => measureChain({ connect, cpu }, loads, times);
  };
  const [without, having] = [await turnOf(false), await turnOf(true)];
  return measureCost({ row, size, metric: more, bars, without, having }, bench);
}
