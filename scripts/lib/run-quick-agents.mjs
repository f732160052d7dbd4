// The part of `npm run agents` that `npm test` runs: one program, which installs in seconds, and the journeys that take less.
import { ensureSomeAgents } from "./ensure-agents.mjs";
import { runTestFiles } from "./run-tests.mjs";

/** It is a program of its system, so that it starts with any Node, and it does most of what programs do. */
const chosen = { name: "claude-code", package: "@anthropic-ai/claude-code" };

/** A program that cannot be installed is a failure. */
export function runQuickAgents() {
  try {
    process.env.PAGEWIRE_AGENTS = ensureSomeAgents([chosen.package]);
  } catch (error) {
    console.error(error);
    return { passed: 0, failed: 1, failures: [`${chosen.name} could not be installed: ${error.message}`] };
  }
  process.env.PAGEWIRE_AGENTS_ONLY = chosen.name;
  process.env.PAGEWIRE_AGENTS_QUICK = "yes";
  return runTestFiles(["test/agents/agents.test.ts"], "agents");
}
