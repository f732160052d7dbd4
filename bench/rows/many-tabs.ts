import { askFloor, askPagewire } from "../harness/ask-for-list.ts";
import type { AskForList, Listed } from "../harness/ask-for-list.ts";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { holdContest, rowsOf } from "../harness/hold-contest.ts";
import type { Contestant, Figures } from "../harness/hold-contest.ts";
import { startPageServer } from "../harness/page-server.ts";
import type { PageServer, Via } from "../harness/page-server.ts";
import { agentToken } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleProcess } from "../harness/role-process.ts";
import type { Memory, RoleName } from "../harness/role.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { settledMemory } from "../harness/settled-memory.ts";

const row = "many-tabs";
const toolCount = 50;
const patience = 60_000;
/** Each restart of a hub needs a rest of eleven seconds before. */
const mostRounds = 3;

const about = `30 tabs of one app in a headless Chromium, each in a process of its own, with 50 tools each: the same 50, or
1,500 that are all different. Each has its own socket, or all share one by a SharedWorker. The hub's process is ended and
another is started on its port; the time is from when that one listens until an agent has the complete list: all 30 tabs
by list_browser_tabs, and then every tool by an MCP client's tools/list (2026-07-28). All but one of the tabs are hidden,
whose timers Chromium lets run once a second. Hub memory is what its process grew by from no tab to all, the least of
several readings after garbage collections. The worker's memory is its own heap after a garbage collection with all tabs
connected, what its browser holds for it included, as the debugger's protocol tells at the end.

- **floor**: the hub keeps each tab's offer as it came and writes all when asked; tabs, or the worker by hand, try again
  every 250 ms, and a worker whose socket is open again asks its tabs for their offers.`;

/** Many tabs with many tools: how soon they are back, and what they take. */
export const manyTabs: RowFamily = {
  row,
  title: "30 tabs with 50 tools each",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const app of bench.quick ? apps.slice(0, 1) : apps) {
      for (const { name, via } of ways)
        rows.push(...(await measureTabs({ size: `${app.name}, ${name}`, app, via, bench })));
    }
    return rows;
  },
};

const apps = [
  { name: "same 50 tools", isSame: true },
  { name: "1,500 tools", isSame: false },
] as const;

const ways = [
  { name: "own sockets", via: "socket" },
  { name: "SharedWorker", via: "shared-worker" },
] as const;

interface Case {
  readonly size: string;
  readonly app: (typeof apps)[number];
  readonly via: Via;
  readonly bench: Bench;
}

interface Build {
  readonly name: string;
  readonly hub: RoleName;
  readonly script: string;
  readonly ask: AskForList;
}

const builds: readonly Build[] = [
  { name: "floor", hub: "floor-list", script: "floor.js", ask: askFloor },
  { name: "pagewire", hub: "pagewire", script: "pagewire.js", ask: askPagewire },
];

async function measureTabs(measured: Case): Promise<readonly Row[]> {
  const { size, bench } = measured;
  const running = createClosingList();
  try {
    const pages = running.add(await startPageServer());
    const all: ManyTabs[] = [];
    for (const build of builds) all.push(await openTabs(build, { ...measured, pages, running }));
    const times = await holdContest(all, Math.min(bench.rounds, mostRounds), [{ row, size }]);
    const memory = new Map<string, Figures[]>();
    for (const tabs of all) memory.set(tabs.name, [await tabs.memory()]);
    return [...times, ...rowsOf(memory, { row, size })];
  } finally {
    await running.close();
  }
}

interface Setting extends Case {
  readonly pages: PageServer;
  readonly running: ClosingList;
}

/** A contestant whose turn is a restart of its hub. */
interface ManyTabs extends Contestant {
  memory(): Promise<Figures>;
}

async function openTabs(build: Build, { app, via, bench, pages, running }: Setting): Promise<ManyTabs> {
  const { quick } = bench;
  const count = quick ? 3 : 30;
  const wanted = { tabs: count, tools: app.isSame ? toolCount : count * toolCount };
  const parameters = { agentToken, allowedOrigins: [pages.origin] };
  let hub = await startRole(build.hub, parameters);
  running.add({ close: () => hub.close() });
  const { port } = hub.started;
  const before = await memoryAfterAsking(hub, build.ask, quick);

  const pageOf = (index: number) =>
    pages.pageFor(build.script, port, { via, tools: toolCount, from: app.isSame ? 0 : index * toolCount });
  const next = Array.from({ length: count }, (_, index) => pageOf(index));
  const browser = running.add(
    await openChromium(bench.chromium, pages.pageFor("opener.js", port, { next }), { isDebuggable: true }),
  );
  await untilListed(build.ask, port, wanted);
  const after = await memoryAfterAsking(hub, build.ask, quick);
  let isStable = rest(quick);

  return {
    name: build.name,
    isFresh: true,
    async measure() {
      await isStable;
      await hub.close();
      hub = await startRole(build.hub, { ...parameters, port });
      const startedAt = performance.now();
      await untilListed(build.ask, port, wanted);
      const took = performance.now() - startedAt;
      isStable = rest(quick);
      return { "ms to the complete list": took };
    },
    async memory() {
      return {
        "hub heap growth, bytes": after.heapBytes - before.heapBytes,
        "hub RSS growth, bytes": after.rssBytes - before.rssBytes,
        ...(via === "shared-worker" && { "worker heap, bytes": await browser.workerHeap() }),
      };
    },
  };
}

/** A page that loses its hub soon after it came counts on losing it again, and waits longer. */
function rest(quick: boolean): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, quick ? 0 : 11_000));
}

/** A process that has worked before holds the code and the young heap that working needs. */
async function memoryAfterAsking(hub: RoleProcess, ask: AskForList, quick: boolean): Promise<Memory> {
  for (let count = 0; count < 50; count++) await ask(hub.started.port, 0);
  return settledMemory(hub, quick);
}

async function untilListed(ask: AskForList, port: number, wanted: Listed): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    const { tabs, tools } = await ask(port, wanted.tabs);
    if (tabs === wanted.tabs && tools === wanted.tools) return;
    if (performance.now() > end)
      throw new Error(`Of ${wanted.tabs} tabs ${tabs} came, of ${wanted.tools} tools ${tools}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
