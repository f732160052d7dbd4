import { join } from "node:path";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { holdContest } from "../harness/hold-contest.ts";
import type { Contestant, Figures, Question } from "../harness/hold-contest.ts";
import { chainTimes } from "../harness/measure-chain.ts";
import type { ChainTimes } from "../harness/measure-chain.ts";
import { startPageServer } from "../harness/page-server.ts";
import type { PageServer, WindowWay } from "../harness/page-server.ts";
import { agentToken } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleProcess } from "../harness/role-process.ts";
import type { RoleName } from "../harness/role.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { sizes } from "../pages/answers.ts";
import type { SizeName } from "../pages/answers.ts";

const row = "agent-window";
const inFlight = 16;
const chainCpu = "whole chain CPU µs/call";
const mostOverFloor = 1.15;
const patience = 60_000;

const about = `A tool of an app, called by the hub's agent through the agent's window that the app opened, a popup in Chromium with
no debugger attached. The app is of the window's site at another port, or of another site and so in another process. The
whole chain is the hub and every process of the browser; calls are made in the hub's process, ${inFlight} at a time and then one
at a time.

- **pagewire**: the hub with its guards, its window as it is served, with the conversation open, and in the app \`AgentBridge\`,
  which checks the arguments against the tool's JSON Schema. A call begins with the handler of the tool that the hub's model is
  given, and ends with the text that the model would be told: the model's own rounds, and what the chat shows of them, are
  not in it. "Plain" is the hub and its window with the floor's app, which knows no ports.
- **floor**: the messages of the same protocol by hand: a socket of ws, a page that passes calls on, and an app that answers
  them, with no checks but of the origin, over a port or over the window.`;

/** The hub's agent to the app that opened its window, and back. */
export const agentWindow: RowFamily = {
  row,
  title: "Hub through the agent's window to its app",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const { name } of sizes.slice(0, bench.quick ? 1 : 2)) rows.push(...(await measureSize(name, bench)));
    return rows;
  },
};

const sites = [
  { name: "same site", host: "127.0.0.1" },
  { name: "cross site", host: "app.test" },
] as const;

/** Both ends of a path. */
interface Build {
  readonly name: string;
  readonly hub: RoleName;
  readonly app: Readonly<Record<WindowWay, string>>;
}

const builds: readonly Build[] = [
  { name: "floor", hub: "floor-window", app: { port: "floor-app.js", plain: "floor-app.js" } },
  { name: "pagewire", hub: "agent-window", app: { port: "bridge-app.js", plain: "floor-app.js" } },
];

const ways = ["port", "plain"] as const;

async function measureSize(size: SizeName, bench: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  try {
    const contestants: Contestant[] = [];
    for (const site of sites) {
      const pages = running.add(await startPageServer(site.host));
      for (const way of ways) {
        for (const build of builds) {
          const name = `${site.name}, ${way}, ${build.name}`;
          contestants.push(await startChain(build, { name, way, size, bench, pages, running }));
        }
      }
    }
    return await holdContest(
      contestants,
      bench.rounds,
      sites.flatMap((site) => ways.map((way) => questionOf(`${site.name}, ${way}`, size))),
    );
  } finally {
    await running.close();
  }
}

interface Setting {
  readonly name: string;
  readonly way: WindowWay;
  readonly size: SizeName;
  readonly bench: Bench;
  readonly pages: PageServer;
  readonly running: ClosingList;
}

async function startChain(build: Build, setting: Setting): Promise<Contestant> {
  const { name, way, size, bench, pages, running } = setting;
  const parameters = { agentToken, allowedOrigins: [pages.origin], size, way };
  const profile = bench.profile && join(bench.profile, `${row} ${size} ${name}`);
  const hub = running.add(await startRole(build.hub, parameters, profile));
  const { port, window = "" } = hub.started;
  const app = pages.pageFor(build.app[way], port, { agent: window });
  const browser = running.add(await openChromium(bench.chromium, app));
  await firstCall(hub, name);
  const cpu = async () => (await hub.cpu()) + (await browser.cpu());
  return { name, measure: () => measureTurn(hub, cpu, chainTimes(bench.quick)) };
}

/** Ends when the app answers the hub, and throws when it does not. */
async function firstCall(hub: RoleProcess, name: string): Promise<void> {
  await new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No app answered: ${name}.`)), patience);
    hub
      .load({ milliseconds: 0, inFlight: 1 })
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

async function measureTurn(hub: RoleProcess, cpu: () => Promise<number>, times: ChainTimes): Promise<Figures> {
  const measure = async (milliseconds: number, callers: number) => {
    const before = await cpu();
    const figures = await hub.load({ milliseconds, inFlight: callers });
    return { ...figures, cpu: ((await cpu()) - before) / figures.calls };
  };
  await hub.load({ milliseconds: times.warmUp, inFlight });
  const many = await measure(times.load, inFlight);
  const one = await measure(times.load, 1);
  return {
    [chainCpu]: many.cpu,
    [`${chainCpu}, one at a time`]: one.cpu,
    "p50 µs": one.p50,
    "p99 µs": one.p99,
    [`calls/s, ${inFlight} in flight`]: many.calls / many.seconds,
  };
}

function questionOf(way: string, size: SizeName): Question {
  return {
    row,
    size: `${size}, ${way}`,
    bars: { [chainCpu]: mostOverFloor },
    of: (standings) => new Map(builds.map(({ name }) => [name, standings.get(`${way}, ${name}`) ?? []])),
  };
}
