// `npm run house`: how large the house is, and how hard to find one's way in it. `--check` fails where a figure is past what
// scripts/lib/house-limits.json has, `--write` lowers the limits to today's figures, `--json` prints for programs.
import { readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join, normalize } from "node:path";
import { parseArgs } from "node:util";
import { filesIn } from "./lib/files.mjs";
import { root } from "./lib/root.mjs";

const limitsPath = join(root, "scripts/lib/house-limits.json");
const { check, write, json, verbose } = parseArgs({
  options: {
    check: { type: "boolean" },
    write: { type: "boolean" },
    json: { type: "boolean" },
    verbose: { type: "boolean", short: "v" },
  },
}).values;

const read = (path) => readFileSync(join(root, path), "utf8");
const isTest = (path) => /\.(test|test-d|test-helper|test-page)\.|^src\/testing\//.test(path);
const sources = filesIn("src", "apps").filter((path) => /\.(tsx?|css|html)$/.test(path) && !isTest(path));
const modules = sources.filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"));

const imports = new Map(modules.map((path) => [path, importsOf(path)]));
const importers = new Map(modules.map((path) => [path, []]));
for (const [path, targets] of imports) for (const target of targets) importers.get(target)?.push(path);
const single = modules.filter((path) => importers.get(path).length === 1);

const long = longFunctions();
const figures = {
  "lines in src": linesOf(sources.filter((path) => path.startsWith("src/"))),
  "files in src": sources.filter((path) => path.startsWith("src/")).length,
  "lines in apps": linesOf(sources.filter((path) => path.startsWith("apps/"))),
  "files in apps": sources.filter((path) => path.startsWith("apps/")).length,
  "files with one importer, in %": Math.round((100 * single.length) / modules.length),
  "functions of more than 100 lines": long.length,
  "arrows that run back up in the hub": backArrows("src/hub").length,
  "exported names, types too": publicNames().length,
  "error codes": errorCodes().length,
  "comments that are read twice": oldVoice().length,
};

if (json) console.log(JSON.stringify({ figures, hops: hops(), rooms: rooms() }));
else print();
if (write) writeFileSync(limitsPath, `${JSON.stringify(lowered(), null, 2)}\n`);
if (check) {
  const limits = JSON.parse(readFileSync(limitsPath, "utf8"));
  for (const [name, limit] of Object.entries(limits)) {
    if (figures[name] <= limit) continue;
    console.error(`${name}: ${figures[name]}, and at most ${limit} are written down in scripts/lib/house-limits.json.`);
    process.exitCode = 1;
  }
}

/** A limit is raised by hand only, with the reason in docs/decisions/. */
function lowered() {
  const limits = JSON.parse(readFileSync(limitsPath, "utf8"));
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Math.min(value, limits[name] ?? value)]),
  );
}

function importsOf(path) {
  const targets = new Set();
  for (const [, from] of read(path).matchAll(/(?:\bfrom |\bimport\(|^import )"(\.[^"]+)"/gm)) {
    const target = normalize(join(dirname(path), from));
    if (target !== path) targets.add(target);
  }
  return targets;
}

function linesOf(paths) {
  return paths.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);
}

function longFunctions() {
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/oxlint/bin/oxlint"),
      "-c",
      "scripts/lib/long-functions.json",
      "-f",
      "json",
      "src",
      "apps",
    ],
    { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 },
  );
  return JSON.parse(stdout)
    .diagnostics.filter(({ filename, code }) => code?.includes("max-lines-per-function") && !isTest(filename))
    .map(({ filename, labels, message }) => `${filename}:${labels[0]?.span.line} ${message}`);
}

/** The folders of a room stand on floors: one that is imported stands below. In a circle, some of the arrows run back up. */
function backArrows(room) {
  const folders = new Map();
  for (const [path, targets] of imports) {
    if (!path.startsWith(`${room}/`)) continue;
    for (const target of targets) {
      const [from, to] = [dirname(path), dirname(target)];
      if (!target.startsWith(`${room}/`) || from === to) continue;
      if (!folders.has(from)) folders.set(from, new Set());
      folders.get(from).add(to);
    }
  }
  const reaches = (from, to, seen = new Set()) =>
    [...(folders.get(from) ?? [])].some(
      (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    );
  return [...folders].flatMap(([from, targets]) =>
    [...targets].filter((to) => from < to && reaches(to, from)).map((to) => `${from} <-> ${to}`),
  );
}

function errorCodes() {
  const [, list = ""] = /export const errorNames = \[(.*?)\n\]/s.exec(read("src/wire/errors.ts")) ?? [];
  return [...list.matchAll(/"([a-z-]+)"/g)];
}

/** Comments without a subject, or with a coined way of speaking. */
function oldVoice() {
  const opening = /^\s*(?:\/\/|\/\*\*|\*) (?:What|Who|Where|That|Those|Hears|Says|Tells|Whoever|Whatever) [a-z]/;
  const words =
    /^\s*(?:\/\/|\/\*\*|\*) ?.*\b(?:whoever|whatever|(?:is|are) (?:told|heard|said to)|hears|nobody|somebody|anew|so many|calls off)\b/;
  const paths = filesIn("src", "apps", "bench", "test", "examples", "scripts").filter((path) =>
    /\.(tsx?|mjs)$/.test(path),
  );
  return paths.flatMap((path) =>
    read(path)
      .split("\n")
      .flatMap((line, index) =>
        opening.test(line) || words.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [],
      ),
  );
}

/** Names by entry point: one that two entry points export counts twice. */
function publicNames() {
  const entries = Object.values(JSON.parse(read("package.json")).exports).flatMap(({ types }) => types ?? []);
  // Bundles export no names.
  const modules = entries.filter((types) => !types.startsWith("./dist/browser/"));
  return modules.flatMap((types) => {
    const entry = types.replace(/^\.\/dist\/(.*)\.d\.ts$/, "src/$1.ts");
    const text = read(entry).replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
    const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) => names.split(","));
    const declared = text.matchAll(
      /^export (?:declare )?(?:async )?(?:function|const|class|interface|type|abstract class) (\w+)/gm,
    );
    return [...listed.filter((name) => name.trim() !== ""), ...declared].map(
      (name) => `${entry} ${String(name).trim()}`,
    );
  });
}

/** The files and functions that one warm call runs through, by the kind of call, as `npm run bench hops` measured them last. */
function hops() {
  const { rows } = JSON.parse(read("bench/results.json"));
  const calls = {};
  for (const { row, size, metric, pagewire } of rows) {
    if (row === "hops" && !metric.endsWith("invocations")) (calls[size] ??= {})[metric] = pagewire;
  }
  return calls;
}

function rooms() {
  const names = [...new Set(sources.map((path) => path.split("/").slice(0, 2).join("/")))];
  return names.map((name) => {
    const within = (path) => path.startsWith(`${name}/`);
    const files = sources.filter(within);
    return { name, files: files.length, lines: linesOf(files), single: single.filter(within).length };
  });
}

function print() {
  for (const { name, files, lines, single } of rooms())
    console.log(
      `${name.padEnd(20)} ${String(lines).padStart(6)} lines ${String(files).padStart(4)} files ${String(single).padStart(4)} with one importer`,
    );
  console.log();
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value}`);
  for (const [size, counts] of Object.entries(hops())) {
    const all = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    console.log(`hops of ${size}: ${all.join(", ")}`);
  }
  if (!verbose) return;
  console.log(["", ...long, "", ...backArrows("src/hub"), "", ...single, "", ...oldVoice()].join("\n"));
}
