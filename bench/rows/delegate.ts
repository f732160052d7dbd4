import { join } from "node:path";
import type { OpenCallers } from "../harness/caller.ts";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { besidePeer, holdContest } from "../harness/hold-contest.ts";
import type { Contestant } from "../harness/hold-contest.ts";
import { at, barsOf, chainTimes, measureChain } from "../harness/measure-chain.ts";
import { startPageServer } from "../harness/page-server.ts";
import type { PageServer } from "../harness/page-server.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import type { CallersOptions } from "../harness/prepare-callers.ts";
import { prepareDelegates, prepareFloorDelegates } from "../harness/prepare-delegate-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleName } from "../harness/role.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { sizes } from "../pages/answers.ts";
import type { Size } from "../pages/answers.ts";

const row = "delegate";
const chainCpu = "whole chain CPU µs/call";
const hubCpu = "hub CPU µs/call";
const mostOverHttpCall = 1.2;
const bars: Readonly<Record<Size["name"], Readonly<Record<string, number>>>> = {
  "200 B": { ...barsOf(chainCpu, { 32: 1.25 }), ...barsOf(hubCpu, { 32: 2 }) },
  "10 KB": barsOf(hubCpu, { 32: 1.4 }),
  "1 MB": {},
};

const about = `A program in a terminal → POST /api/browser-delegate → hub → WebSocket → the tab of a headless Chromium that the
terminal is in → back, on keep-alive connections. Sizes, calls in flight and the whole chain are those of the rows above;
a result of 200 B is text, one of 10 KB has a structured value beside it.

- **pagewire**: the terminal was made by POST /api/terminals and attached to the tab; each call brings its token and its
  id. The page is the hub's script tag and one registered tool, the action.
- **floor**: sent the same bytes, the hub hands each request unread to a plain WebSocket; the page parses it and writes
  the whole response.
- **hand-written ws**: node:http and ws with JSON.parse and JSON.stringify, at an address of its own.
- **api/call**: the same tool of the same page of Pagewire's, by POST /api/call and the agents' token. The
  last rows of each size have it as their floor.`;

/** A call of a terminal's program to the tab that it is in, and back. */
export const delegate: RowFamily = {
  row,
  title: "A terminal's program to its Chromium tab",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const size of sizes.slice(0, bench.quick ? 1 : 2)) rows.push(...(await measureSize(size, bench)));
    return rows;
  },
};

/** One way to bring a call to a tab. */
interface Way {
  readonly name: string;
  readonly hub: RoleName;
  readonly script: string;
  readonly prepare: (options: CallersOptions) => Promise<OpenCallers>;
}

const ways: readonly Way[] = [
  { name: "floor", hub: "floor", script: "delegate-floor.js", prepare: prepareFloorDelegates },
  { name: "pagewire", hub: "pagewire", script: "pagewire.js", prepare: prepareDelegates },
  { name: "hand-written ws", hub: "by-hand", script: "json.js", prepare: prepareCallers },
  { name: "api/call", hub: "pagewire", script: "pagewire.js", prepare: prepareCallers },
];

async function measureSize(size: Size, bench: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  try {
    const pages = running.add(await startPageServer());
    const contestants: Contestant[] = [];
    for (const way of ways) contestants.push(await startWay(way, { size, bench, pages, running }));
    const question = { row, size: size.name, bars: bars[size.name] };
    const overHttpCall = besidePeer(question, "api/call", {
      [at(size.inFlight[0], chainCpu)]: mostOverHttpCall,
      [at(size.inFlight[0], hubCpu)]: mostOverHttpCall,
    });
    return await holdContest(contestants, bench.rounds, [question, overHttpCall]);
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

async function startWay({ name, hub: role, script, prepare }: Way, setting: Setting): Promise<Contestant> {
  const { size, bench, pages, running } = setting;
  const profile = bench.profile && join(bench.profile, `${row} ${size.name} ${name.replace("/", " ")}`);
  const hub = running.add(await startRole(role, { agentToken, allowedOrigins: [pages.origin] }, profile));
  const { port } = hub.started;
  const browser = running.add(await openChromium(bench.chromium, pages.pageFor(script, port)));
  const connect = await prepare({ port, size: size.name, inFlight: size.inFlight[0] });
  const cpu = async () => {
    const [ofHub, ofBrowser] = [await hub.cpu(), await browser.cpu()];
    const { user, system } = process.cpuUsage();
    return { [chainCpu]: user + system + ofHub + ofBrowser, [hubCpu]: ofHub };
  };
  return { name, measure: () => measureChain({ connect, cpu }, size.inFlight, chainTimes(bench.quick)) };
}
