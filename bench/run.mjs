// `npm run bench`: compiles the bench, runs it, and writes bench/results.json and docs/reference/performance.md.
//   --only hub-hop,sdk-size   only these families of rows; the other rows of results.json stay as they are
//   --quick                   a smoke run: everything once and briefly, nothing is written, figures mean nothing
//   --rounds 3                turns of each contestant at the most, 5 by default; a contest that is settled ends sooner
//   --profile <folder>        CPU profiles of the hubs, one folder each, one file a thread
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { findChromium } from "../scripts/find-chromium.mjs";
import { compileBench, root } from "./compile.mjs";

const { quick, only, rounds, profile } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    profile: { type: "string" },
  },
}).values;
if (!/^[1-9]\d?$/.test(rounds)) throw new Error(`--rounds must be a number from 1 to 99, and is "${rounds}".`);

const { runBench } = await import(await compileBench("main"));
await runBench({
  quick,
  rounds: quick ? 1 : Number(rounds),
  only: only?.split(","),
  profile: profile && resolve(profile),
  chromium: findChromium(),
  root,
});
