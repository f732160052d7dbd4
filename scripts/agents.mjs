// `npm run agents`: real agents against a scripted model, a real hub and a real tab; writes docs/reference/agents.md.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { documentedNames, frameworkNames, programNames } from "./lib/agent-names.mjs";
import { ensureAgents, ensureSdks } from "./lib/ensure-agents.mjs";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { root } from "./lib/root.mjs";
import { runNode, runPackage } from "./lib/run.mjs";

const programs = programNames();
const names = [...programs, ...documentedNames(), ...frameworkNames()];
const usage = `Usage: npm run agents -- [options]

Sends real agents through journeys, and writes docs/reference/agents.md. With any of these options it writes nothing:

  --only NAMES     Only these, by commas:
                   programs: ${programs.join(", ")}
                   by their documented configuration: ${documentedNames().join(", ")}
                   frameworks: ${frameworkNames().join(", ")}
                   Without the call of five minutes, which all programs make at the same time.
  --journey WORDS  Only the journeys whose titles have these words.
  --latest         The newest version of each program, not the pinned one.
  --help           This.`;

const { only, journey, latest, help } = readOptions();
if (help) {
  console.log(usage);
  process.exit(0);
}
const chosen = only?.split(",") ?? names;
const isWhole = !only && !journey && !latest;

/** The options; ends with what there is where one is wrong. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string" },
        journey: { type: "string" },
        latest: { type: "boolean", default: false },
        help: { type: "boolean", short: "h" },
      },
    });
    const unknown = values.only?.split(",").filter((name) => !names.includes(name)) ?? [];
    if (unknown.length > 0) throw new Error(`There is no ${unknown.join(", ")}.`);
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    return process.exit(2);
  }
}

ensureInstalled();
await ensureBuilt();
ensurePrograms(["chromium", "tmux"]);
if (programs.some((name) => chosen.includes(name))) process.env.PAGEWIRE_AGENTS = ensureAgents({ isLatest: latest });
ensureSdks(chosen);
if (only) process.env.PAGEWIRE_AGENTS_ONLY = only;
if (isWhole) rmSync(join(root, ".cache", "agents-seen"), { recursive: true, force: true });

const filter = journey ? ["-t", journey] : only ? ["--exclude", "test/agents/quiet-call.test.ts"] : [];
process.exitCode =
  runPackage("vitest", "run", "--project", "agents", ...filter) ||
  (isWhole ? runNode("scripts/write-reference.mjs", "agents.md") : 0);
