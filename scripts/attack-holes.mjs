// `npm run attack:holes`: opens each hole of lib/holes.mjs in a copy of this tree, and fails where the attacks do not find it.
// `npm run attack:holes -- upgrade` opens only those whose name has that word.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { holes } from "./lib/holes.mjs";
import { root } from "./lib/root.mjs";
import { failedTests } from "./lib/run-tests.mjs";

ensureInstalled();
ensurePrograms();
const [word = ""] = process.argv.slice(2);
const chosen = holes.filter(({ name }) => name.includes(word));
const copy = mkdtempSync(join(tmpdir(), "pagewire-holes-"));
let missed = 0;
const projects = ["--project", "attack", "--project", "floods"];
try {
  copyTree();
  // Where a chapter fails without a hole, its failing says nothing.
  for (const chapter of new Set(chosen.map((hole) => hole.chapter))) {
    const failed = attack(chapter);
    if (failed.length > 0) throw new Error(`Without a hole, attacks of ${chapter} fail: ${failed.join("; ")}`);
  }
  for (const hole of chosen) {
    const found = attackWith(hole);
    if (found.length === 0) missed++;
    console.log(
      `${found.length > 0 ? "found" : "MISSED"}: ${hole.name}${found.map((title) => `\n  by: ${title}`).join("")}`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${chosen.length - missed} found, ${missed} missed`);
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1;

/** All but what was installed, which is linked to; and the package by its name is the copy. */
function copyTree() {
  const skipped = new Set([".git", "node_modules"].map((name) => join(root, name)));
  cpSync(root, copy, { recursive: true, filter: (path) => !skipped.has(path) });
  const installed = join(copy, "node_modules");
  mkdirSync(installed);
  for (const name of readdirSync(join(root, "node_modules"))) {
    symlinkSync(name === "pagewire" ? copy : join(root, "node_modules", name), join(installed, name));
  }
}

function attackWith({ chapter, file, from, to }) {
  const path = join(copy, file);
  const sound = readFileSync(path, "utf8");
  if (sound.split(from).length !== 2) throw new Error(`${file} does not have once: ${from}`);
  writeFileSync(
    path,
    sound.replace(from, () => to),
  );
  try {
    return attack(chapter);
  } finally {
    writeFileSync(path, sound);
  }
}

/** The titles of the attacks that came through, in a fresh build. */
function attack(chapter) {
  const built = runThere("scripts/build.mjs");
  if (built.status !== 0) throw new Error(`The copy cannot be built: ${built.stdout}${built.stderr}`);
  const report = join(copy, ".cache", "attack.json");
  rmSync(report, { force: true });
  const command = join(root, "node_modules/vitest/vitest.mjs");
  runThere(command, "run", ...projects, `attack/${chapter}`, "--reporter=json", `--outputFile=${report}`);
  return failedTests(report);
}

function runThere(...parameters) {
  return spawnSync(process.execPath, parameters, { cwd: copy, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
