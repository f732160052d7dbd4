// `npm run chaos`: a hub, six tabs and thirteen callers, faults at random, and a check of what pages really ran.
//   --seed 7               what is done, by whom and in which order; a random one by default. Timing is the machine's.
//   --minutes 10           how long faults come
//   --json                 one JSON object with the counts and the violations
//   --history <file>       the whole history, as JSON
import { randomInt } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { ensureBuilt } from "../../scripts/build.mjs";

const { seed, minutes, json, history } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    minutes: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
    history: { type: "string" },
  },
}).values;
if (!(Number(minutes) > 0)) throw new Error(`--minutes must be a number above zero, and is "${minutes}".`);

await ensureBuilt();
const folder = dirname(fileURLToPath(import.meta.url));
const outfile = join(folder, ".cache", "main.js");
await build({
  absWorkingDir: folder,
  entryPoints: ["main.ts"],
  outfile,
  bundle: true,
  sourcemap: "inline",
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
const { main } = await import(outfile);
await main({ seed, minutes: Number(minutes), isJson: json, historyFile: history });
