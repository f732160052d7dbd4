import { join } from "node:path";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { besidePeer, holdContest } from "../harness/hold-contest.ts";
import type { Contestant } from "../harness/hold-contest.ts";
import { revisions } from "../harness/mcp-requests.ts";
import type { Revision } from "../harness/mcp-requests.ts";
import { at, barsOf, chainTimes, measureChain } from "../harness/measure-chain.ts";
import { startPageServer } from "../harness/page-server.ts";
import type { PageServer } from "../harness/page-server.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { prepareMcpCallers, prepareSdkCallers } from "../harness/prepare-mcp-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleName } from "../harness/role.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { sizes } from "../pages/answers.ts";
import type { Size } from "../pages/answers.ts";

const row = "mcp-chain";
const chainCpu = "whole chain CPU µs/call";
const hubCpu = "hub CPU µs/call";
const mostOverHttpCall = 1.5;
const bars: Readonly<Record<Size["name"], Readonly<Record<string, number>>>> = {
  "200 B": { ...barsOf(chainCpu, { 32: 1.25 }), ...barsOf(hubCpu, { 32: 2 }) },
  "10 KB": barsOf(hubCpu, { 32: 1.4 }),
  "1 MB": barsOf(hubCpu, { 8: 1.3 }),
};

const about = `An MCP client → tools/call → hub → WebSocket → a tab of a headless Chromium → back, at the last revision with
sessions (2025-11-25, one session) and at the first without (2026-07-28). The raw client writes what the revision wants,
headers and all, on keep-alive connections of its own, each request with an id of its own. Sizes, calls in flight and the
whole chain are those of the rows above.

- **pagewire**: its MCP door at /mcp, with every guard; the page is the hub's script tag and one registered tool.
- **floor**: sent the same bytes, the hub hands each request unread to a plain WebSocket; the page parses it and writes
  the whole response.
- **api/call**: the same tool of the same page of Pagewire's, by POST /api/call. The last row of each contest has it as its
  floor.
- **SDK server, tab**: the second line of the MCP SDK as its documentation shows it (a session with a server of its own;
  createMcpHandler where there are none) on node:http, answering with JSON; its tool asks the page of the hub by hand.
- **SDK server**, **SDK v1 server**: the same, and the SDK's first line, with the tool in the server itself: no tab, and
  so no part of the chain behind the hub.
- **SDK client**: pagewire once more, with the SDK's client of the second line instead of the raw one. The
  SDK's contestants take part at 200 B.`;

/** MCP's tools/call, from a client to a tab in Chromium, and back. */
export const mcpChain: RowFamily = {
  row,
  title: "MCP tools/call to a Chromium tab",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const size of bench.quick ? sizes.slice(0, 1) : sizes) {
      for (const revision of revisions) rows.push(...(await measureContest(size, revision, bench)));
    }
    return rows;
  },
};

/** One way to answer a client of MCP. */
interface Way {
  readonly name: string;
  readonly hub: RoleName;
  /** The script of its page; undefined where no page takes part. */
  readonly script?: string;
  readonly prepare?: typeof prepareSdkCallers;
  readonly isIn?: (size: Size["name"], revision: Revision) => boolean;
}

const isSmall = (size: Size["name"]) => size === "200 B";

const ways: readonly Way[] = [
  { name: "floor", hub: "floor", script: "rpc-floor.js" },
  { name: "pagewire", hub: "pagewire", script: "pagewire.js" },
  { name: "api/call", hub: "pagewire", script: "pagewire.js", prepare: prepareCallers },
  { name: "SDK server, tab", hub: "sdk-v2", script: "json.js", isIn: isSmall },
  { name: "SDK server", hub: "sdk-v2", isIn: isSmall },
  { name: "SDK v1 server", hub: "sdk-v1", isIn: (size, revision) => isSmall(size) && revision === "2025-11-25" },
  { name: "SDK client", hub: "pagewire", script: "pagewire.js", prepare: prepareSdkCallers, isIn: isSmall },
];

async function measureContest(size: Size, revision: Revision, bench: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  try {
    const pages = running.add(await startPageServer());
    const contestants: Contestant[] = [];
    for (const way of ways.filter(({ isIn }) => isIn?.(size.name, revision) ?? true)) {
      contestants.push(await startWay(way, { size, revision, bench, pages, running }));
    }
    const question = { row, size: `${size.name}, ${revision}`, bars: bars[size.name] };
    const overHttpCall = besidePeer(question, "api/call", { [at(size.inFlight[0], hubCpu)]: mostOverHttpCall });
    return await holdContest(contestants, bench.rounds, [question, overHttpCall]);
  } finally {
    await running.close();
  }
}

interface Setting {
  readonly size: Size;
  readonly revision: Revision;
  readonly bench: Bench;
  readonly pages: PageServer;
  readonly running: ClosingList;
}

async function startWay(
  { name, hub: role, script, prepare = prepareMcpCallers }: Way,
  setting: Setting,
): Promise<Contestant> {
  const { size, revision, bench, pages, running } = setting;
  const parameters = { agentToken, allowedOrigins: [pages.origin], hasPages: script !== undefined };
  const profile = bench.profile && join(bench.profile, `${row} ${size.name} ${revision} ${name}`);
  const hub = running.add(await startRole(role, parameters, profile));
  const { port } = hub.started;
  const browser =
    script === undefined ? undefined : running.add(await openChromium(bench.chromium, pages.pageFor(script, port)));
  const [inFlight] = size.inFlight;
  const connect = await prepare({ port, revision, size: size.name, inFlight, hasSessions: role !== "floor" });
  const cpu = async () => {
    const [ofHub, ofBrowser] = [await hub.cpu(), (await browser?.cpu()) ?? 0];
    const { user, system } = process.cpuUsage();
    return { [chainCpu]: user + system + ofHub + ofBrowser, [hubCpu]: ofHub };
  };
  return { name, measure: () => measureChain({ connect, cpu }, size.inFlight, chainTimes(bench.quick)) };
}
