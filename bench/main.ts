import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { machine, versions } from "./harness/machine.ts";
import { writeResults } from "./harness/write-results.ts";
import type { Results } from "./harness/write-results.ts";
import type { Bench, RowFamily } from "./harness/row.ts";
import { cellsOf, textTable } from "./harness/table.ts";
import { writeReference } from "./harness/write-reference.ts";
import { attacksAndStorm } from "./rows/attacks.ts";
import { auditRecord } from "./rows/audit-record.ts";
import { agentWindow } from "./rows/agent-window.ts";
import { aiCore } from "./rows/ai-core.ts";
import { aiSize } from "./rows/ai-size.ts";
import { chromiumTab } from "./rows/chromium-tab.ts";
import { delegate } from "./rows/delegate.ts";
import { consoleTimeline } from "./rows/console.ts";
import { extension } from "./rows/extension.ts";
import { busHop } from "./rows/bus-hop.ts";
import { cluster } from "./rows/cluster.ts";
import { growth } from "./rows/growth.ts";
import { accessToken } from "./rows/access-token.ts";
import { hubHop } from "./rows/hub-hop.ts";
import { hops } from "./rows/hops.ts";
import { keyedCall } from "./rows/keyed-call.ts";
import { lateTool } from "./rows/late-tool.ts";
import { manyTabs } from "./rows/many-tabs.ts";
import { mcpChain } from "./rows/mcp-chain.ts";
import { floods } from "./rows/floods.ts";
import { idleTabs } from "./rows/idle-tabs.ts";
import { modelCost } from "./rows/model-cost.ts";
import { remoteStream } from "./rows/remote-stream.ts";
import { sse } from "./rows/sse.ts";
import { watchers } from "./rows/watchers.ts";
import { webmcp } from "./rows/webmcp.ts";
import { webmcpLate } from "./rows/webmcp-late.ts";
import { webmcpSize } from "./rows/webmcp-size.ts";
import { workerChain } from "./rows/worker-chain.ts";
import { terminal } from "./rows/terminal.ts";
import { sdkSize } from "./rows/sdk-size.ts";

const families: readonly RowFamily[] = [
  hubHop,
  busHop,
  cluster,
  growth,
  keyedCall,
  accessToken,
  auditRecord,
  chromiumTab,
  extension,
  workerChain,
  mcpChain,
  delegate,
  watchers,
  hops,
  consoleTimeline,
  lateTool,
  manyTabs,
  idleTabs,
  floods,
  attacksAndStorm,
  agentWindow,
  terminal,
  webmcp,
  webmcpLate,
  modelCost,
  sdkSize,
  webmcpSize,
  sse,
  aiCore,
  remoteStream,
  aiSize,
];

export interface RunOptions extends Bench {
  /** The families to run; all of them by default. */
  readonly only: readonly string[] | undefined;
}

/** Measures, prints tables, and writes the results unless the run was a quick one. */
export async function runBench({ only, ...bench }: RunOptions): Promise<void> {
  const names = families.map(({ row }) => row);
  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0) throw new Error(`No row is named ${unknown.join(", ")}. There are: ${names.join(", ")}.`);

  // Exit handlers end the started processes.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

  const measuredWith = versions(bench.root, bench.chromium);
  for (const family of families.filter(({ row }) => !only || only.includes(row))) {
    console.log(`\n${family.title}`);
    const loadBefore = oneMinuteLoad();
    const startedAt = performance.now();
    const rows = await family.measure(bench);
    console.log(`${textTable(cellsOf(rows))}\n${secondsSince(startedAt)} s`);
    if (bench.quick) continue;
    const run = {
      date: new Date().toISOString(),
      machine: machine(),
      seconds: secondsSince(startedAt),
      rounds: bench.rounds,
      loadBefore,
      loadAfter: oneMinuteLoad(),
      versions: measuredWith,
    };
    // After each family: a run that is stopped keeps the figures it has.
    write({ runs: { [family.row]: run }, rows }, bench.root);
  }
  console.log(
    bench.quick
      ? "\nA quick run: the figures mean nothing, and nothing was written."
      : "\nWritten: bench/results.json, docs/reference/performance.md",
  );
}

function write(fresh: Results, root: string): void {
  const order = families.map(({ row }) => row);
  const results = writeResults(join(root, "bench", "results.json"), fresh, order);
  const reference = join(root, "docs", "reference", "performance.md");
  mkdirSync(dirname(reference), { recursive: true });
  writeReference(reference, results, families);
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000);
}

function oneMinuteLoad(): number {
  return Number((loadavg()[0] ?? 0).toFixed(2));
}
