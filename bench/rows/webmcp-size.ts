import { join } from "node:path";
import { gzippedBundle } from "../harness/gzipped-bundle.ts";
import { gzippedFiles } from "../harness/gzipped-files.ts";
import type { Row, RowFamily } from "../harness/row.ts";

const row = "webmcp-size";
const mostAtOnce = 6 * 1024;

const about = `What a page loads, bundled by esbuild into one file for each row, minified and gzipped. The MCP client is loaded on
demand: only where the browser has something to register tools with. The last rows are of what the hub serves for script
tags.`;

interface Part {
  readonly name: string;
  /** The page's code. */
  readonly module: string;
  /** Whether what is loaded on demand is in it. */
  readonly isWhole?: boolean;
  readonly bar?: number;
}

const adapter = `export { registerWebMcp } from "pagewire/webmcp";`;

const parts: readonly Part[] = [
  { name: "registerWebMcp, at once", module: adapter, bar: mostAtOnce },
  { name: "registerWebMcp, with the MCP client", module: adapter, isWhole: true },
  { name: "polyfill", module: `import "pagewire/webmcp/polyfill";`, bar: mostAtOnce },
];

const files = ["webmcp.js", "webmcp-polyfill.js"];

/** The bytes of WebMCP in a page. */
export const webmcpSize: RowFamily = {
  row,
  title: "Size of WebMCP",
  about,
  async measure({ root }) {
    const folder = join(root, "bench");
    const rows: Row[] = [];
    for (const { name, module, isWhole, bar = null } of parts) {
      rows.push(rowOf(name, await gzippedBundle(module, folder, isWhole), bar));
    }
    for (const file of files) rows.push(rowOf(file, await gzippedFiles(join(root, "dist/browser", file)), null));
    return rows;
  },
};

function rowOf(size: string, bytes: number, bar: number | null): Row {
  const met = bar === null ? null : bytes <= bar;
  return { row, size, metric: "gzip bytes", pagewire: bytes, floor: null, peers: {}, ratio: null, bar, met };
}
