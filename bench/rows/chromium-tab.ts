import { join } from "node:path";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { holdContest } from "../harness/hold-contest.ts";
import { barsOf, chainTimes, measureChain } from "../harness/measure-chain.ts";
import { startPageServer } from "../harness/page-server.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { variantsOf } from "../harness/variants.ts";
import type { Variant } from "../harness/variants.ts";
import { sizes } from "../pages/answers.ts";
import type { Size } from "../pages/answers.ts";

const row = "chromium-tab";
const chainCpu = "whole chain CPU µs/call";
const hubCpu = "hub CPU µs/call";
const contenders: readonly Pick<Variant, "name" | "hub" | "script">[] = [
  ...variantsOf("floor", "pagewire", "batching floor"),
  { name: "floor with acks", hub: "floor", script: "acking-floor.js" },
  ...variantsOf("hand-written ws"),
];
const bars: Readonly<Record<Size["name"], Readonly<Record<string, number>>>> = {
  "200 B": { ...barsOf(chainCpu, { 32: 1, 4: 1.25 }), ...barsOf(hubCpu, { 32: 1.3 }) },
  "10 KB": { ...barsOf(chainCpu, { 32: 1.4, 4: 1.4 }), ...barsOf(hubCpu, { 32: 1.2 }) },
  "1 MB": { ...barsOf(chainCpu, { 8: 1.3 }), ...barsOf(hubCpu, { 8: 1.15 }) },
};

const about = `The same chain and contestants of the rows above, but the page is a tab of a headless Chromium, one browser for each
contestant and no debugger attached. Pagewire's page is the hub's script tag and one registered tool, whose arguments are
checked against its JSON Schema; the floor's is a plain WebSocket. **floor with acks** is the same with a message before each answer, as Pagewire's page has to
send one where no other call shares it: what one call at a time costs a hub that can say whether a call was delivered. The
whole chain is the client, the hub and every process
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
    for (const { name, hub: role, script } of contenders) {
      const parameters = { agentToken, allowedOrigins: [pages.origin] };
      const hub = running.add(
        await startRole(role, parameters, profile && join(profile, `${row} ${size.name} ${name}`)),
      );
      const { port } = hub.started;
      const browser = running.add(await openChromium(chromium, pages.pageFor(script, port)));
      const connect = await prepareCallers({ port, size: size.name, inFlight: size.inFlight[0] });
      const cpu = async () => {
        const [ofHub, ofBrowser] = [await hub.cpu(), await browser.cpu()];
        const { user, system } = process.cpuUsage();
        return { [chainCpu]: user + system + ofHub + ofBrowser, [hubCpu]: ofHub };
      };
      contestants.push({ name, measure: () => measureChain({ connect, cpu }, size.inFlight, times) });
    }
    return await holdContest(contestants, rounds, [{ row, size: size.name, bars: bars[size.name] }]);
  } finally {
    await running.close();
  }
}
