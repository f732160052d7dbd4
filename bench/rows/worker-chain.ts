import { join } from "node:path";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { besidePeer, holdContest } from "../harness/hold-contest.ts";
import type { Contestant, Question } from "../harness/hold-contest.ts";
import { at, chainTimes, measureChain } from "../harness/measure-chain.ts";
import { startPageServer } from "../harness/page-server.ts";
import type { PageServer, Via } from "../harness/page-server.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleName } from "../harness/role.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { sizes } from "../pages/answers.ts";
import type { Size } from "../pages/answers.ts";

const row = "worker-chain";
const chainCpu = "whole chain CPU µs/call";
const mostOverFloor = 1.15;

const about = `The chain of "Hub to Chromium tab" once more, by each way that a tab's messages can go: its own socket,
a SharedWorker that runs in the process of the tab that is called (the first tab), one that runs in another tab's process
(the second tab), and a ServiceWorker. All ways take their turns in the same run.

- **pagewire**: its hub, its script tag, and its worker as the package has it.
- **floor**: written by hand whole: the floor's hub and page, and between them a worker by hand, which holds one socket and passes each string on
  as it is to the tab that spoke last.
- **pagewire, worker by hand**: Pagewire's hub and page with the floor's worker between them. The last rows of each way
  have this chain as their floor, so that nothing but the worker differs.`;

/** Client to hub to a tab in Chromium by way of a worker, and back. */
export const workerChain: RowFamily = {
  row,
  title: "Hub to Chromium tab through a worker",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const size of bench.quick ? sizes.slice(0, 1) : sizes) rows.push(...(await measureSize(size, bench)));
    return rows;
  },
};

/** A way that a tab's messages can go. */
interface Way {
  readonly name: string;
  readonly via: Via;
  /** Whether another tab is there before, which the worker belongs to. */
  readonly isSecond?: boolean;
}

const ways: readonly Way[] = [
  { name: "own socket", via: "socket" },
  { name: "SharedWorker, first tab", via: "shared-worker" },
  { name: "SharedWorker, second tab", via: "shared-worker", isSecond: true },
  { name: "ServiceWorker", via: "service-worker" },
];

/** The peers at both ends of a way, and the one in its middle. */
interface Build {
  readonly name: string;
  readonly hub: RoleName;
  readonly script: string;
  readonly byHand?: boolean;
}

const withWorkerByHand = "pagewire, worker by hand";
const builds: readonly Build[] = [
  { name: "floor", hub: "floor", script: "floor.js" },
  { name: "pagewire", hub: "pagewire", script: "pagewire.js" },
  { name: withWorkerByHand, hub: "pagewire", script: "pagewire.js", byHand: true },
];

async function measureSize(size: Size, bench: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  try {
    const pages = running.add(await startPageServer());
    const contestants: Contestant[] = [];
    for (const way of ways) {
      for (const build of builds.filter(({ byHand }) => !byHand || way.via !== "socket")) {
        contestants.push(await startChain(way, build, { size, bench, pages, running }));
      }
    }
    return await holdContest(
      contestants,
      bench.rounds,
      ways.flatMap((way) => questionsOf(way, size)),
    );
  } finally {
    await running.close();
  }
}

interface Setting {
  readonly size: Size;
  readonly bench: Bench;
  readonly pages: PageServer;
  readonly running: ClosingList;
}

async function startChain(way: Way, build: Build, setting: Setting): Promise<Contestant> {
  const { size, bench, pages, running } = setting;
  const name = nameOf(way, build.name);
  const parameters = { agentToken, allowedOrigins: [pages.origin] };
  const profile = bench.profile && join(bench.profile, `${row} ${size.name} ${name}`);
  const hub = running.add(await startRole(build.hub, parameters, profile));
  const { port } = hub.started;
  const page = { via: way.via, byHand: build.byHand ?? false };
  const called = pages.pageFor(build.script, port, page);
  // The tab before speaks as the floor's does where the worker is by hand.
  const first = build.byHand ? "floor.js" : build.script;
  const opened = way.isSecond ? pages.pageFor(first, port, { ...page, next: [called] }) : called;
  const browser = running.add(await openChromium(bench.chromium, opened));
  const connect = await prepareCallers({ port, size: size.name, inFlight: size.inFlight[0] });
  const cpu = async () => {
    const [ofHub, ofBrowser] = [await hub.cpu(), await browser.cpu()];
    const { user, system } = process.cpuUsage();
    return { [chainCpu]: user + system + ofHub + ofBrowser, "hub CPU µs/call": ofHub };
  };
  return { name, measure: () => measureChain({ connect, cpu }, size.inFlight, chainTimes(bench.quick)) };
}

function nameOf(way: Way, build: string): string {
  return `${way.name}, ${build}`;
}

function questionsOf(way: Way, size: Size): readonly Question[] {
  const isByWorker = way.via !== "socket";
  const bars = Object.fromEntries(
    size.inFlight.filter((inFlight) => inFlight > 1).map((inFlight) => [at(inFlight, chainCpu), mostOverFloor]),
  );
  const question: Question = {
    row,
    size: `${size.name}, ${way.name}`,
    of: (standings) =>
      new Map(
        builds.flatMap(({ name }) => {
          const turns = standings.get(nameOf(way, name));
          return turns === undefined ? [] : [[name, turns] as const];
        }),
      ),
  };
  return isByWorker ? [{ ...question, bars }, besidePeer(question, withWorkerByHand, bars)] : [question];
}
