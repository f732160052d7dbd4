// `npm run mutants`: changes one small thing of a source at a time, in a copy of this tree, and counts how many of these mutants
// the tests of the same folder kill. Which mutants are taken depends on the seed alone. `npm run mutants -- --count 40
// --seed 2 src/wire` takes 40 of that folder.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withCopy } from "./lib/copy-tree.mjs";
import { filesIn } from "./lib/files.mjs";
import { findMutants } from "./lib/find-mutants.mjs";
import { root } from "./lib/root.mjs";

const options = { count: { type: "string", default: "50" }, seed: { type: "string", default: "1" } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const folders = positionals.length > 0 ? positionals : ["src/wire", "src/switchboard", "src/hub/guard"];

const total = { killed: 0, all: 0 };
await withCopy((copy) => {
  for (const folder of folders) {
    const started = performance.now();
    const passes = runsTests(copy, folder);
    if (!passes()) throw new Error(`The tests of ${folder} fail without a mutant.`);
    // A mutant may never come to an end.
    const timeout = Math.ceil(5 * (performance.now() - started));
    const sample = takeSample(mutantsOf(folder), Number(values.count), Number(values.seed));
    const survivors = sample.filter((mutant) => mutate(copy, mutant, () => passes(timeout)));
    for (const { path, source, start, end, text } of survivors) {
      const line = source.slice(0, start).split("\n").length;
      console.log(`survived: ${path}:${line} ${source.slice(start, end)} -> ${text}`);
    }
    console.log(`${folder}: ${sample.length - survivors.length} of ${sample.length} killed`);
    total.killed += sample.length - survivors.length;
    total.all += sample.length;
  }
});
console.log(`${total.killed} of ${total.all} killed (${((100 * total.killed) / total.all).toFixed(1)} %)`);

function mutantsOf(folder) {
  const sources = filesIn(folder).filter((path) => path.endsWith(".ts") && !/\.test(-[a-z]+)?\.ts$/.test(path));
  return sources.flatMap((path) => {
    const source = readFileSync(join(root, path), "utf8");
    return findMutants(source).map((mutant) => ({ path, source, ...mutant }));
  });
}

/** The same mutants for the same seed, evenly from all files. */
function takeSample(mutants, count, seed) {
  // The first steps from neighbouring seeds are much alike.
  let state = (seed * 1_000_003) % 2_147_483_647;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let step = 0; step < 10; step++) random();
  return mutants
    .map((mutant) => ({ mutant, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** The result of a function that runs while the mutant is in place. */
function mutate(copy, { path, source, start, end, text }, during) {
  writeFileSync(join(copy, path), source.slice(0, start) + text + source.slice(end));
  const result = during();
  writeFileSync(join(copy, path), source);
  return result;
}

/** Returns what runs the tests of a folder, and says whether all of them pass in time. */
function runsTests(copy, folder) {
  const command = join(root, "node_modules/vitest/vitest.mjs");
  const parameters = ["run", "--project=node*", "--bail=1", "--reporter=dot", folder];
  return (timeout) => {
    const how = { cwd: copy, stdio: "ignore", timeout };
    return spawnSync(process.execPath, [command, ...parameters], how).status === 0;
  };
}
