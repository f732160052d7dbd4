// `npm run agents`: real agents against a scripted model, a real hub and a real tab; writes docs/reference/agents.md. With
// `--only claude-code,ai-sdk` just these programs and frameworks, `--journey <words>` the journeys whose titles have these words,
// and with `--latest` the newest version of each program; those write nothing.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { frameworkNames, programNames } from "./lib/agent-names.mjs";
import { ensureAgents, ensureSdks } from "./lib/ensure-agents.mjs";
import { ensureInstalled } from "./lib/ensure-installed.mjs";
import { ensurePrograms } from "./lib/ensure-programs.mjs";
import { root } from "./lib/root.mjs";
import { runNode, runPackage } from "./lib/run.mjs";

const { only, journey, latest } = parseArgs({
  options: { only: { type: "string" }, journey: { type: "string" }, latest: { type: "boolean", default: false } },
}).values;
const names = [...programNames(), ...frameworkNames()];
const chosen = only?.split(",") ?? names;
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(", ")}. There are ${names.join(", ")}.`);
const isWhole = !only && !journey && !latest;

ensureInstalled();
await ensureBuilt();
ensurePrograms(["chromium"]);
if (programNames().some((name) => chosen.includes(name)))
  process.env.PAGEWIRE_AGENTS = ensureAgents({ isLatest: latest });
ensureSdks(chosen);
if (only) process.env.PAGEWIRE_AGENTS_ONLY = only;
if (isWhole) rmSync(join(root, ".cache", "agents-seen"), { recursive: true, force: true });

process.exitCode =
  runPackage("vitest", "run", "--project", "agents", ...(journey ? ["-t", journey] : [])) ||
  (isWhole ? runNode("scripts/write-reference.mjs", "agents.md") : 0);
