import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { chainTimes, measureChain } from "../harness/measure-chain.ts";
import { mainThread, measureCost } from "../harness/measure-cost.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import type { SizeName } from "../pages/answers.ts";

const row = "audit-record";
const more = "hub main-thread CPU µs more for the audit";
const loads = [32, 8] as const;
const bars: Readonly<Record<number, number>> = { 32: 5, 8: 5 };
const sizes: readonly SizeName[] = ["200 B", "10 KB"];

const about = `The chain of "Hub hop in Node": Pagewire with its audit in a database of SQLite's, the floor is the same hub with the same
database and no audit. Each call is a record with digests of its arguments and its result. What it costs is the CPU of the
hub's main thread, as Linux counts it, which is what other calls wait for; the digests, the chain and the database are the
work of a thread of the hub's, which "hub CPU" has in it.`;

/** The cost of recording a call. */
export const auditRecord: RowFamily = {
  row,
  title: "A call's record in the audit",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const size of bench.quick ? sizes.slice(0, 1) : sizes) {
      const running = createClosingList();
      try {
        const without = await turnOf({ size, hasAudit: false, bench, running });
        const having = await turnOf({ size, hasAudit: true, bench, running });
        rows.push(...(await measureCost({ row, size, metric: more, bars, without, having }, bench)));
      } finally {
        await running.close();
      }
    }
    return rows;
  },
};

interface Setting {
  readonly size: SizeName;
  readonly hasAudit: boolean;
  readonly bench: Bench;
  readonly running: ClosingList;
}

async function turnOf({ size, hasAudit, bench: { quick, profile }, running }: Setting) {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-bench-"));
  running.add({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const parameters = { agentToken, database: join(folder, "pagewire.db"), hasAudit };
  const name = `${row} ${size} ${hasAudit ? "with" : "without"}`;
  const hub = running.add(await startRole("pagewire", parameters, profile && join(profile, name)));
  const { port } = hub.started;
  running.add(await startRole("pages", { port, speaker: "wire" }));
  const connect = await prepareCallers({ port, size, inFlight: loads[0] });
  const cpu = async () => ({ [mainThread]: await hub.mainThreadCpu(), "hub CPU µs/call": await hub.cpu() });
  return () => measureChain({ connect, cpu }, loads, chainTimes(quick));
}
