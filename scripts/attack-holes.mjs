// `npm run attack:holes`: opens each hole of lib/holes.mjs in a copy of this tree, and fails where the attacks do not
// find it. `npm run attack:holes -- upgrade` opens only those whose name has that word.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { withCopy } from "./lib/copy-tree.mjs";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { holes } from "./lib/holes.mjs";
import { root } from "./lib/root.mjs";
import { failedTests } from "./lib/run-tests.mjs";

ensureInstalled();
ensurePrograms();
const [word = ""] = process.argv.slice(2);
const chosen = holes.filter(({ name }) => name.includes(word));
const projects = ["--project", "attack", "--project", "floods"];
const missed = await withCopy(attackCopy);
console.log(`${chosen.length - missed} found, ${missed} missed`);
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1;

/** Opens one hole after the other in a copy; returns how many the attacks did not find. */
function attackCopy(copy) {
  // If a chapter fails without a hole, its failure means nothing.
  for (const chapter of new Set(chosen.map((hole) => hole.chapter))) {
    const failed = attack(copy, chapter);
    if (failed.length > 0) throw new Error(`Without a hole, attacks of ${chapter} fail: ${failed.join("; ")}`);
  }
  return chosen.filter((hole) => {
    const found = attackWith(copy, hole);
    const titles = found.map((title) => `\n  by: ${title}`).join("");
    console.log(`${found.length > 0 ? "found" : "MISSED"}: ${hole.name}${titles}`);
    return found.length === 0;
  }).length;
}

function attackWith(copy, { chapter, file, from, to }) {
  const path = join(copy, file);
  const sound = readFileSync(path, "utf8");
  if (sound.split(from).length !== 2) throw new Error(`${file} does not have once: ${from}`);
  writeFileSync(
    path,
    sound.replace(from, () => to),
  );
  try {
    return attack(copy, chapter);
  } finally {
    writeFileSync(path, sound);
  }
}

/** The titles of the attacks that came through, in a fresh build. */
function attack(copy, chapter) {
  const built = runIn(copy, "scripts/build.mjs");
  if (built.status !== 0) throw new Error(`The copy cannot be built: ${built.stdout}${built.stderr}`);
  const report = join(copy, ".cache", "attack.json");
  rmSync(report, { force: true });
  const command = join(root, "node_modules/vitest/vitest.mjs");
  runIn(copy, command, "run", ...projects, `attack/${chapter}`, "--reporter=json", `--outputFile=${report}`);
  return failedTests(report);
}

function runIn(copy, ...parameters) {
  return spawnSync(process.execPath, parameters, { cwd: copy, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
