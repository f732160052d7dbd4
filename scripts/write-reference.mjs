// Writes the pages of docs/reference/ that are made from code and from what the tests saw; or only the one that is named.
// security.md, agents.md and interop.md are written where they are named: only `npm run attack`, `npm run agents` and `npm run
// interop` run all that they are about.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentedNames, frameworkNames, programNames } from "./lib/agent-names.mjs";
import { root } from "./lib/root.mjs";

const { budgets, defaultLimits, errorCodes } = await import("../dist/wire/index.js");

write("errors.md", [
  "# Error codes",
  "",
  "Every error that Pagewire raises or sends has one of these codes; its message says what failed, with which name, and",
  "what to do next. Made from `src/wire/errors.ts`.",
  "",
  table(
    ["code", "meaning"],
    Object.entries(errorCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
  ),
]);

write("limits.md", [
  "# Limits",
  "",
  "Every bound that Pagewire puts on a peer, by name, with its default. Times are milliseconds, sizes are bytes. Pass",
  "others by `--limit NAME=VALUE` to `pagewire`, or as `limits` to `createHub` or `connectPage`. Made from `limits.ts` and `switchboard-limits.ts` of `src/wire/`, which say what each is for.",
  "",
  table(
    ["limit", "default"],
    Object.entries(defaultLimits).map(([name, value]) => [`\`${name}\``, value.toLocaleString("en")]),
  ),
  "",
  "## Budgets",
  "",
  "What one principal may use, and what all may use together. Beyond a budget a request is refused with the code, in a message",
  "that names the limit, and `pagewire_over_budget_total` of `/metrics` counts it; other principals are not affected. A peer that is",
  "closed with `too-slow` gets no message. Without a code, the oldest or least recently used makes room. The rate and its burst are",
  "one budget, counted as `callRatePerPrincipal`. In jwt mode a token may have smaller ones, by name, in its claim `budgets`: they",
  "apply to everything that is done with this token. Made from `src/wire/budgets.ts`.",
  "",
  "Several hubs that share their pages count a principal's budgets over `hubs` as they tell each other, a quarter of a second late, or exactly in",
  "the `database` that they share. With N hubs, a rate lets in at most (N − 1) × (burst + rate × 0.25 s) calls more than on one hub at a time,",
  "and the same in the long run; an amount is exceeded by at most N − 1 times what one hub can begin within that time and 1/32 of the budget. While the",
  "bus is down each hub counts alone: up to N times a budget. The rates of a policy's rules and a principal's tokens of the day count like",
  "that, too ([the rules](../../src/hub/cluster/SPEC.md#budgets)). What only bounds the memory of a process counts at `each` hub.",
  "",
  table(
    ["budget", "default", "of", "refused with", "in tokens", "over"],
    Object.entries(budgets).map(([name, { whose, code, isInTokens, over = "each" }]) => [
      `\`${name}\``,
      defaultLimits[name].toLocaleString("en"),
      whose,
      code ? `\`${code}\`` : "",
      isInTokens ? "yes" : "",
      over,
    ]),
  ),
]);

const longRuns = join(root, "test", "chaos", "results.jsonl");

writeSeen("reliability", [
  "# Reliability",
  "",
  "What the tests do to break the system, and what came out, written by `npm test`. A call's outcome comes with whether",
  "the tool ran: only after `no` is it safe to try again.",
]);

writeSeen("security", [
  "# Security",
  "",
  "What the tests try who mean harm: as a page, as an agent, as another tenant, as a neighbour on the same machine. Against",
  "a real hub in a process of its own; written by `npm run attack`. How many times is counted by the tests themselves.",
]);

writeAgents();
writeInterop();
writeScreens();

/** A page of what the programs did that people use as agents, and the frameworks, a chapter for each. */
function writeAgents() {
  if (!existsSync(join(root, ".cache", "agents-seen"))) return;
  write("agents.md", [
    "# Agents",
    "",
    "What agents do with the tools of a page: each with a scripted model, a real hub and a real tab. Written by `npm run agents`;",
    "what is not here was not tried. The time is that of the whole program, from its start to its end, on the machine that ran it;",
    "in a terminal, from the prompt to the model's last words.",
    "",
    "## Programs",
    "",
    "Each is the real program, connected by `pagewire connect <program> --write` in a home where nothing was.",
    ...programNames().flatMap(agentChapter),
    "",
    "## By their documented configuration",
    "",
    "These were not run, and nothing is claimed of a program that was not run. What `pagewire connect` wrote for each was read as the program",
    "documents it; just the program that it names was started, in the surroundings of an app that no shell has prepared; and it was",
    "spoken to as the program is known to speak.",
    ...documentedNames().flatMap(agentChapter),
    "",
    "## Frameworks in code",
    "",
    "Each is its example in [examples/agent-sdks](../../examples/agent-sdks), installed from its lock file, on the project's Node.",
    ...frameworkNames().flatMap(agentChapter),
  ]);
}

/** Puts the screens that journeys saw into the guide, each between its marks. */
function writeScreens() {
  if (process.argv[2] !== "agents.md") return;
  const guide = join(root, "docs", "guide", "your-agent-and-your-page.md");
  const marks = /(<!-- screen of ([\w-]+): ([^\n]+) -->\n).*?(<!-- end of screen -->)/gs;
  const text = readFileSync(guide, "utf8").replaceAll(marks, (...found) => {
    const [before, begin, name, title, end] = found;
    const screen = agentRows(name).find(({ journey }) => journey === title)?.screen;
    return screen === undefined ? before : `${begin}\`\`\`text\n${tidy(screen)}\n\`\`\`\n${end}`;
  });
  writeFileSync(guide, text);
}

/** A screen without the empty rest of its lines and of itself. */
function tidy(screen) {
  const lines = screen.split("\n").map((line) => line.trimEnd());
  return lines
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/^\n+|\n+$/g, "");
}

function agentRows(name) {
  const path = join(root, ".cache", "agents-seen", `${name}.jsonl`);
  return existsSync(path) ? readRows(path, "journey") : [];
}

function agentChapter(name) {
  const rows = agentRows(name);
  if (rows.length === 0) return [];
  return [
    "",
    `### ${rows[0].program} ${rows[0].version}`.trim(),
    "",
    table(
      ["journey", "what comes out", "ms"],
      rows.map(({ journey, result, notRun, ms }) => [journey, result ?? `not run: ${notRun}`, ms ?? ""]),
    ),
  ];
}

/** A page of what others' packages did with ours. */
function writeInterop() {
  const folder = join(root, ".cache", "interop-seen");
  if (!existsSync(folder)) return;
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const byNumber = (one, other) => one.case.localeCompare(other.case, "en", { numeric: true });
  const rows = files.flatMap((file) => readRows(join(folder, file), "case")).sort(byNumber);
  write("interop.md", [
    "# Others' packages",
    "",
    "Packages that others wrote, as they are on npm, with ours. Written by `npm run interop`; what is not here was not run.",
    "Models are scripted, in their vendors' formats. Agents that people use have [a page of their own](agents.md).",
    "",
    table(
      ["partner", "version", "what was run", "result"],
      rows.map(({ partner, version, run, result }) => [partner, version, run, result]),
    ),
  ]);
}

/** A page of what the tests saw, a chapter for each suite. */
function writeSeen(page, head) {
  const folder = join(root, ".cache", page);
  if (!existsSync(folder)) return;
  const suites = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  write(`${page}.md`, [
    ...head,
    ...suites.sort().flatMap((suite) => ["", `## ${suite.replace(".jsonl", "")}`, "", faultTable(join(folder, suite))]),
    ...(page === "reliability" && existsSync(longRuns) ? longRunsSection() : []),
  ]);
}

function longRunsSection() {
  const words = "Each was recorded by `npm run chaos` with `--record`, on the day that it names.";
  return ["", "## long runs", "", words, "", faultTable(longRuns)];
}

/** By their faults, since files run side by side. */
function faultTable(path) {
  const rows = readRows(path, "fault")
    .sort((one, other) => (one.fault < other.fault ? -1 : 1))
    .map(({ fault, count, expected, observed }) => [fault, count, expected, observed]);
  return table(["what was done", "times", "must be", "was"], rows);
}

/** The lines of a file; of several with the same key the last one holds. */
function readRows(path, key) {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return [...new Map(lines.map((line) => JSON.parse(line)).map((row) => [row[key], row])).values()];
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

function write(name, lines) {
  const [, , only] = process.argv;
  if (only === undefined ? ["security.md", "agents.md", "interop.md"].includes(name) : name !== only) return;
  writeFileSync(join(root, "docs", "reference", name), `${lines.join("\n")}\n`);
}
