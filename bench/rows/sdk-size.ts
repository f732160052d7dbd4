import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { gzippedBundle } from "../harness/gzipped-bundle.ts";
import type { Row, RowFamily } from "../harness/row.ts";

const row = "sdk-size";
const mostScript = 8 * 1024;
/** Max size of the code that a page loads once there is a hub. */
const mostSession = 9 * 1024;
const mostBridge = 9 * 1024;
const mostValidator = 7 * 1024;
const mostWorker = 12 * 1024;

const about = `What the hub serves to a page, minified and gzipped. The script is all that a page loads at first; the other
parts are loaded when they are first needed. Of the workers, which the app serves, a browser loads one, once for
all tabs; those whose name says "serving" also serve MCP clients themselves. AgentBridge is bundled as an app would.`;

const barsOfParts: Readonly<Record<string, number>> = { "session.js": mostSession, "validator.js": mostValidator };

/** The bytes that a page and its worker load. */
export const sdkSize: RowFamily = {
  row,
  title: "Size of the page SDK and the workers",
  about,
  async measure({ root }) {
    const folder = join(root, "dist", "browser");
    const parts = await readdir(join(folder, "chunks"));
    const rows = [await rowOf(folder, "pagewire.js", mostScript)];
    for (const part of parts.toSorted()) {
      rows.push(await rowOf(folder, join("chunks", part), barsOfParts[part] ?? null));
    }
    const workers = (await readdir(folder)).filter((name) => name.endsWith("worker.js"));
    for (const worker of workers.toSorted()) {
      rows.push(await rowOf(folder, worker, worker.includes("serving") ? null : mostWorker));
    }
    const bridge = await gzippedBundle(`export { AgentBridge } from "pagewire/agent-window";`, join(root, "bench"));
    rows.push(rowWith("AgentBridge, by import", bridge, mostBridge));
    return rows;
  },
};

async function rowOf(folder: string, name: string, bar: number | null): Promise<Row> {
  const { length } = gzipSync(await readFile(join(folder, name)), { level: 9 });
  return rowWith(name, length, bar);
}

function rowWith(size: string, bytes: number, bar: number | null): Row {
  const met = bar === null ? null : bytes <= bar;
  return { row, size, metric: "gzip bytes", pagewire: bytes, floor: null, peers: {}, ratio: null, bar, met };
}
