import { openChromium } from "../harness/chromium.ts";
import { createClosingList } from "../harness/closing-list.ts";
import { holdContest } from "../harness/hold-contest.ts";
import type { Contestant } from "../harness/hold-contest.ts";
import { chainTimes, measureChain } from "../harness/measure-chain.ts";
import { startPageServer } from "../harness/page-server.ts";
import { copyExtension } from "../harness/copy-extension.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { round } from "../harness/statistics.ts";
import { sizes } from "../pages/answers.ts";
import type { Size } from "../pages/answers.ts";

const row = "extension";
const perCall = "p50 µs";
/** The most that half of the calls may take longer through the extension, in milliseconds. */
const mostMore = 1.5;
const loads = [4, 1] as const;

const about = `The chain of "Hub to Chromium tab" once more, to a tool that the page's own script registered with the browser
(\`--enable-features=WebMCP\`), in a browser of its own for each way and with no debugger attached.

- **pagewire**: the page knows nothing of Pagewire; the browser extension, which is in both browsers and paired in this one, takes the
  tool up and carries its calls.
- **floor**: the same page with the hub's script tag, which takes up the same tool, by the page's own socket.

The last row of each size is the difference of the medians, which has the bar.`;

/** A call of a page's tool by the browser extension, and by the page's own socket. */
export const extension: RowFamily = {
  row,
  title: "A call through the browser extension",
  about,
  async measure(bench) {
    const rows: Row[] = [];
    for (const size of sizes.slice(0, bench.quick ? 1 : 2)) rows.push(...(await measureSize(size, bench)));
    return rows;
  },
};

async function measureSize(size: Size, bench: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  try {
    const pages = running.add(await startPageServer());
    const contestants: Contestant[] = [];
    for (const name of ["floor", "pagewire"]) {
      const hub = running.add(await startRole("pagewire", { agentToken, allowedOrigins: [pages.origin] }));
      const { port } = hub.started;
      const hubOf = (isHere: boolean) => (isHere ? port : undefined);
      const page = pages.pageFor("stock.js", hubOf(name === "floor"));
      const { folder } = running.add(await copyExtension(bench.root, hubOf(name === "pagewire")));
      const browser = running.add(
        await openChromium(bench.chromium, page, { features: ["WebMCP"], extension: folder }),
      );
      const connect = await prepareCallers({ port, size: size.name, inFlight: loads[0] });
      const cpu = async () => {
        const { user, system } = process.cpuUsage();
        return { "whole chain CPU µs/call": user + system + (await hub.cpu()) + (await browser.cpu()) };
      };
      contestants.push({ name, measure: () => measureChain({ connect, cpu }, loads, chainTimes(bench.quick)) });
    }
    const rows = await holdContest(contestants, bench.rounds, [{ row, size: size.name }]);
    return [...rows, difference(size, rows)];
  } finally {
    await running.close();
  }
}

function difference({ name: size }: Size, rows: readonly Row[]): Row {
  const { pagewire = NaN, floor } = rows.find(({ metric }) => metric === perCall) ?? {};
  const more = round((pagewire - (floor ?? NaN)) / 1000);
  const metric = "p50 ms more than by the page's own socket";
  return {
    row,
    size,
    metric,
    pagewire: more,
    floor: null,
    peers: {},
    ratio: null,
    bar: mostMore,
    met: more <= mostMore,
  };
}
