// `npm run bench`: compiles the bench, runs it, and writes bench/results.json and docs/reference/performance.md.
//   --only hub-hop,sdk-size   only these families of rows; the other rows of results.json stay as they are
//   --quick                   a smoke run: everything once and briefly, nothing is written, figures mean nothing
//   --rounds 3                turns of each contestant, 7 by default: fewer are quicker and less exact
//   --profile <folder>        CPU profiles of the hubs' processes, one file each
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { ensureBuilt } from "../scripts/build.mjs";
import { findChromium } from "../scripts/find-chromium.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const compiled = join(folder, ".cache");
const options = {
  quick: { type: "boolean", default: false },
  only: { type: "string" },
  rounds: { type: "string", default: "7" },
  profile: { type: "string" },
};
const { quick, only, rounds, profile } = parseArgs({ options }).values;
if (!/^[1-9]\d?$/.test(rounds)) throw new Error(`--rounds must be a number from 1 to 99, and is "${rounds}".`);

await ensureBuilt();

const shared = { absWorkingDir: folder, outdir: compiled, bundle: true, logLevel: "warning" };
await build({
  ...shared,
  entryPoints: { main: "main.ts", process: "process.ts" },
  format: "esm",
  splitting: true,
  platform: "node",
  target: "node20",
  packages: "external",
});
await build({
  ...shared,
  entryPoints: [
    "pages/browser/floor.ts",
    "pages/browser/json.ts",
    "pages/browser/birpc.ts",
    "pages/browser/pagewire.ts",
    "pages/browser/rpc-floor.ts",
    "pages/browser/delegate-floor.ts",
    "pages/browser/late-tool.ts",
    "pages/browser/native.ts",
    "pages/browser/opener.ts",
    "pages/browser/worker-socket.ts",
    "pages/browser/floor-app.ts",
    "pages/browser/floor-window.ts",
    "pages/browser/bridge-app.ts",
    "pages/browser/floor-shared-worker.ts",
    "pages/browser/floor-service-worker.ts",
  ],
  outdir: join(compiled, "browser"),
  format: "iife",
  platform: "browser",
  target: "es2022",
  minify: true,
});

const { runBench } = await import(pathToFileURL(join(compiled, "main.js")).href);
await runBench({
  quick,
  rounds: quick ? 1 : Number(rounds),
  only: only?.split(","),
  profile: profile && resolve(profile),
  chromium: findChromium(),
  root: dirname(folder),
});
