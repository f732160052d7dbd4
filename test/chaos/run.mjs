// `npm run chaos`: parses its arguments, bundles the driver, and runs it.
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { ensureBuilt } from "../../scripts/build.mjs";

const usage = `Usage: npm run chaos -- [options]

A hub, six tabs and thirteen callers, faults at random, and a check of what pages really ran.
Ctrl-C ends the run early, and still checks it.

  --seed <text>        what is done, by whom and in which order; random by default. Timing is the machine's
  --minutes <number>   how long faults come (1)
  --database <kind>    what the hub keeps its things in: sqlite (default) or postgres
  --kills <number>     nothing but kill -9 of the hub, so often, under calls, conversations and consents
  --hubs <number>      three hubs over NATS and PostgreSQL, so many rounds of their faults, under calls through all
  --record             adds what came of it, if all was well, to the long runs in docs/reference/reliability.md
  --json               prints one JSON object with the counts and the violations
  --history <file>     writes the whole history, as JSON`;

const { seed, minutes, database, kills, hubs, record, json, history, help } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    minutes: { type: "string", default: "1" },
    database: { type: "string", default: "sqlite" },
    kills: { type: "string" },
    hubs: { type: "string" },
    record: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    history: { type: "string" },
  },
}).values;
if (help) {
  console.log(usage);
  process.exit();
}
if (!(Number(minutes) > 0)) throw new Error(`--minutes must be a number above zero, and is "${minutes}".`);

for (const [name, text] of Object.entries({ kills, hubs }))
  if (text !== undefined && !/^[1-9]\d*$/.test(text))
    throw new Error(`--${name} must be a whole number above zero, and is "${text}".`);

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
  plugins: [{ name: "own-addresses", setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, keepAddress) }],
});

/** Keeps import.meta.url of the source: a module finds its files from there, not from the bundle. */
function keepAddress({ path }) {
  const address = JSON.stringify(pathToFileURL(path).href);
  return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", address), loader: "ts" };
}

const { main } = await import(outfile);
const options = { seed, database, isRecorded: record, isJson: json, minutes: Number(minutes), historyFile: history };
const numberOf = (text) => (text === undefined ? undefined : Number(text));
process.exit(await main({ ...options, kills: numberOf(kills), hubRounds: numberOf(hubs) }));
