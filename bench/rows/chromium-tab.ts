import { join } from "node:path";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { holdContest, rowsOf } from "../harness/hold-contest.ts";
import { chainTimes, measureChain } from "../harness/measure-chain.ts";
import { startPageServer } from "../harness/page-server.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { variants } from "../harness/variants.ts";
import { sizes } from "../pages/answers.ts";

type Size = (typeof sizes)[number];

const row = "chromium-tab";
const chainCpu = "whole chain CPU µs/call";
const bars: Readonly<Record<string, number>> = { "200 B": 1.25 };

const about = `The same chain and the same contestants, but the page is a tab of a headless Chromium, one browser for each
contestant and no debugger attached. Pagewire's page is the hub's script tag and one registered tool, whose arguments are
checked against its JSON Schema; the floor's is a plain WebSocket. The whole chain is the client, the hub and every process
of the browser, its CPU read from /proc.`;

/** Client to hub to a tab in Chromium, and back. */
export const chromiumTab: RowFamily = {
  row,
  title: "Hub to Chromium tab",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const size of bench.quick ? sizes.slice(0, 1) : sizes) rows.push(...(await measureSize(size, bench)));
    return rows;
  },
};

async function measureSize(size: Size, { quick, rounds, profile, chromium }: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  const times = chainTimes(quick);
  try {
    const pages = running.add(await startPageServer());
    const contestants = [];
    for (const { name, hub: role, script } of variants) {
      const parameters = { agentToken, allowedOrigins: [pages.origin] };
      const hub = running.add(
        await startRole(role, parameters, profile && join(profile, `${row} ${size.name} ${name}`)),
      );
      const { port } = hub.started;
      const browser = running.add(await openChromium(chromium, pages.pageFor(script, port)));
      const connect = await prepareCallers({ port, size: size.name, inFlight: size.inFlight });
      const cpu = async () => {
        const [ofHub, ofBrowser] = [await hub.cpu(), await browser.cpu()];
        const { user, system } = process.cpuUsage();
        return { [chainCpu]: user + system + ofHub + ofBrowser, "hub CPU µs/call": ofHub };
      };
      contestants.push({ name, measure: () => measureChain({ connect, cpu }, times) });
    }
    const standings = await holdContest(contestants, rounds);
    const bar = bars[size.name];
    return rowsOf(standings, { row, size: size.name, ...(bar === undefined ? {} : { bars: { [chainCpu]: bar } }) });
  } finally {
    await running.close();
  }
}
