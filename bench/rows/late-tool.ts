import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { revisions } from "../harness/mcp-requests.ts";
import type { Revision } from "../harness/mcp-requests.ts";
import { startPageServer } from "../harness/page-server.ts";
import { agentToken } from "../harness/prepare-callers.ts";
import { connectSdkClient } from "../harness/prepare-mcp-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { median, round } from "../harness/statistics.ts";
import type { LateToolAnswer, LateToolArguments } from "../pages/late-tool.ts";

const row = "late-tool";

const about = `How long after a page registers a tool an MCP client has it in its list: from the page's registerTool to the
answer to the tools/list that the client sends when it is told that the list has changed. The client is the SDK's, told on
its session's stream (2025-11-25) or on its subscription (2026-07-28); the page is a tab of a headless Chromium. One tool
at a time is registered and taken away again, 25 times. Of this time 100 ms are the hub's wait for further changes, so
that many are announced together (its limit changesTime).`;

/** From registerTool in a page to an MCP client's list. */
export const lateTool: RowFamily = {
  row,
  title: "A late tool in an MCP client's list",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const revision of revisions) {
      const times = await timesUntilListed(revision, bench);
      rows.push(rowOf(revision, "median ms", median(times)), rowOf(revision, "worst ms", Math.max(...times)));
    }
    return rows;
  },
};

function rowOf(size: string, metric: string, value: number): Row {
  return { row, size, metric, pagewire: round(value), floor: null, peers: {}, ratio: null, bar: null, met: null };
}

async function timesUntilListed(revision: Revision, { quick, chromium }: Bench): Promise<readonly number[]> {
  const running = createClosingList();
  try {
    const pages = running.add(await startPageServer());
    const hub = running.add(await startRole("pagewire", { agentToken, allowedOrigins: [pages.origin] }));
    const { port } = hub.started;
    const listener = running.add(await listenToTools(port, revision));
    running.add(await openChromium(chromium, pages.pageFor("late-tool.js", port)));
    await listener.until("change", true);

    const times: number[] = [];
    for (let turn = 0; turn < (quick ? 3 : 25); turn++) {
      const name = `late_${turn}`;
      const { at } = await listener.change({ name });
      times.push((await listener.until(name, true)) - at);
      await listener.change({});
      await listener.until(name, false);
    }
    return times;
  } finally {
    await running.close();
  }
}

interface ToolListener {
  /** Has the page register a tool, or take it away. */
  change(given: LateToolArguments): Promise<LateToolAnswer>;
  /** Resolves with the time at which a list, asked for after a notification, had this tool, or had it no more. */
  until(name: string, isThere: boolean): Promise<number>;
  close(): Promise<void>;
}

async function listenToTools(port: number, revision: Revision): Promise<ToolListener> {
  let announced = 0;
  let heard = () => {};
  const onChanged = () => {
    announced++;
    heard();
  };
  const client = await connectSdkClient(port, revision, {
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
  });
  let seen = 0;

  return {
    async change(given) {
      const { structuredContent } = await client.callTool({ name: "change", arguments: { ...given } });
      return structuredContent as unknown as LateToolAnswer;
    },
    async until(name, isThere) {
      for (;;) {
        if (announced === seen) await new Promise<void>((resolve) => (heard = resolve));
        seen = announced;
        const { tools } = await client.listTools();
        if (tools.some((tool) => tool.name === name) === isThere) return Date.now();
      }
    },
    close: () => client.close(),
  };
}
