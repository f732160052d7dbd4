import { createClosingList } from "../harness/closing-list.ts";
import type { NativeAgent } from "../harness/native-agents.ts";
import { openNativeWorld } from "../harness/native-world.ts";
import type { NativePage, NativeWorld } from "../harness/native-world.ts";
import type { Row, RowFamily } from "../harness/row.ts";
import { median, round } from "../harness/statistics.ts";
import { startToolServer } from "../harness/tool-server.ts";
import type { ChangeAnswer, Kind, RefreshAnswer } from "../pages/native-page.ts";

const row = "webmcp-late";
/** How long a client waits, in milliseconds. */
const patience = 5000;
/** Longer than the hub waits for further changes, so that each tool is announced for itself. */
const rest = 300;
/** The hub's own wait is 100 ms. */
const mostTime = 125;
const remoteTools = 10;

const about = `From the moment in which a page registers a tool until an MCP client's list has it; the clients are those of the rows
above.

- **told**: the client asks for the list when its server says that it has changed. Of this time 100 ms are the hub's wait for
  further changes, so that many are announced together (its limit changesTime). 5,000 ms: the client was not told in this
  time, and waited no longer. chrome-devtools-mcp tells no client of a page's tools.
- **asked again**: the client asks as soon as it has been answered, by what each has for it: tools/list; list_webmcp_tools;
  and with @playwright/mcp tools/list after browser_snapshot, which has its server look at the page.
- **unchanged list**: how often the browser tells a page that its tools have changed when registerWebMcp brings the
  ${remoteTools} tools of an MCP server up to date and none of them is another. The peer takes all away and registers all
  again, by hand, as an adapter does that does not compare.`;

/** From registering a tool in a page to a client's list, and what a list that is the same does to a page. */
export const webmcpLate: RowFamily = {
  row,
  title: "A late WebMCP tool, and none",
  about,
  async measure({ quick, ...bench }) {
    const running = createClosingList();
    try {
      const world = await openNativeWorld({ quick, ...bench }, running);
      const rows: Row[] = [];
      for (const kind of ["script", "own"] as const) {
        for (const way of ways) rows.push(await measureLate({ kind, way, quick }, world));
      }
      const server = running.add(await startToolServer(remoteTools));
      return [...rows, await measureRefresh(world.pagewire, server.url)];
    } finally {
      await running.close();
    }
  },
};

interface Way {
  readonly name: string;
  readonly bar: number | null;
  isOpenTo(agent: NativeAgent): boolean;
  /** Begins before the tool is there; resolves once the agent's list has it, or with false when the time is over. */
  until(agent: NativeAgent, tool: string, end: number): Promise<boolean>;
}

const ways: readonly Way[] = [
  {
    name: "told",
    bar: mostTime,
    isOpenTo: ({ tells }) => tells,
    async until({ lists, listen }, tool, end) {
      const told = listen();
      while (await Promise.race([told().then(() => true), pause(end - Date.now()).then(() => false)])) {
        if (await lists(tool)) return true;
      }
      return false;
    },
  },
  {
    name: "asked again",
    bar: null,
    isOpenTo: () => true,
    async until({ looks }, tool, end) {
      while (Date.now() < end) if (await looks(tool)) return true;
      return false;
    },
  },
];

const names: Readonly<Record<Kind, string>> = { script: "a script's tool", own: "the page's own tool" };

interface Late {
  readonly kind: Kind;
  readonly way: Way;
  readonly quick: boolean;
}

async function measureLate(late: Late, { pagewire, peers }: NativeWorld): Promise<Row> {
  const figures: Record<string, number> = {};
  for (const page of [pagewire, ...peers]) {
    for (const agent of page.agents.filter((one) => late.way.isOpenTo(one))) {
      figures[agent.name] = round(median(await timesUntilListed(late, page, agent)));
    }
  }
  const { pagewire: ours = NaN, ...others } = figures;
  const { name, bar } = late.way;
  const size = `${names[late.kind]}, ${name}`;
  const met = bar === null ? null : ours <= bar;
  return { row, size, metric: "median ms", pagewire: ours, floor: null, peers: others, ratio: null, bar, met };
}

async function timesUntilListed(
  { kind, way, quick }: Late,
  { ask }: NativePage,
  agent: NativeAgent,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < (quick ? 1 : agent.isSlow ? 3 : 15); turn++) {
    // A unique name: a list that is not updated still has the earlier ones.
    const name = `late_${kind}_${way.name.replace(" ", "_")}_${agent.name.replaceAll(/\W/g, "_")}_${turn}`;
    const listed = way.until(agent, name, Date.now() + patience);
    const { at } = await ask<ChangeAnswer>("change", { kind, name });
    times.push((await listed) ? Date.now() - at : patience);
    await ask("change", { kind });
    await pause(rest);
  }
  return times;
}

async function measureRefresh({ ask }: NativePage, server: string): Promise<Row> {
  const { tools, adapter, anew } = await ask<RefreshAnswer>("refresh", { server, times: 10 });
  if (tools !== remoteTools) throw new Error(`The browser has ${tools} tools of the server, not ${remoteTools}.`);
  return {
    row,
    size: `${remoteTools} tools, unchanged list`,
    metric: "toolchange events",
    pagewire: adapter,
    floor: null,
    peers: { "all anew": anew },
    ratio: null,
    bar: 0,
    met: adapter <= 0,
  };
}

function pause(milliseconds: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
}
