import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Row, RowFamily } from "../harness/row.ts";
import type { HopsReport } from "../hops/main.ts";
import { journeys } from "../hops/journeys.ts";

const row = "hops";

const about = `How much of Pagewire's own code one warm call touches: its source files, its functions, and how often these were
called, by V8's precise coverage of a hub in one Node process and of a page in Chromium, from the request to the answer.
Each journey is made ten times and then counted five times, of which the middle one stands here. What lies in node_modules
and in Node or the browser itself is not counted. \`npm run hops -- --list hub:mcp-2026\` names the files and functions.`;

/** The files and functions that one call touches. */
export const hops: RowFamily = {
  row,
  title: "What one warm call touches",
  about,
  async measure({ chromium }) {
    // A process of its own: what V8 counts in is slower from then on.
    const script = `const { runHops } = await import(${JSON.stringify(new URL("hops.js", import.meta.url).href)});
      await runHops(["--json"], ${JSON.stringify(chromium)});`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      maxBuffer: 64 * 2 ** 20,
    });
    return (JSON.parse(stdout) as HopsReport).flatMap(rowsOf);
  },
};

function rowsOf({ id, name, hub, page }: HopsReport[number]): readonly Row[] {
  const bars = journeys.find((journey) => journey.id === id)?.bars ?? {};
  const counted = (metric: string, count: number, bar: number | null = null): Row => {
    const met = bar === null ? null : count <= bar;
    return { row, size: name, metric, pagewire: count, floor: null, peers: {}, ratio: null, bar, met };
  };
  return [
    counted("hub files", hub.files, bars.hubFiles),
    counted("hub functions", hub.functions, bars.hubFunctions),
    counted("hub invocations", hub.invocations),
    counted("page files", page.files),
    counted("page functions", page.functions, bars.pageFunctions),
    counted("page invocations", page.invocations),
  ];
}
