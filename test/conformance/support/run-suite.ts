// Runs the suite as a separate program and reads its result files.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSuiteNode } from "../../../scripts/lib/find-suite-node.mjs";
import { spawnOwned } from "../../e2e/support/processes.ts";
import { scoredScenarios } from "./requirements.ts";
import type { Revision } from "./requirements.ts";

const program = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** One check of a scenario. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly description: string;
  readonly errorMessage?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The results of one run of the suite. */
export interface SuiteRun {
  readonly exitCode: number | null;
  readonly output: string;
  readonly checks: ReadonlyMap<string, readonly Check[]>;
}

export interface SuiteOptions {
  readonly url: string;
  readonly revision: Revision;
  /** An empty folder for its results. */
  readonly results: string;
}

/** Runs the scenarios of one revision against a server; resolves when all are done. */
export async function runSuite({ url, revision, results }: SuiteOptions): Promise<SuiteRun> {
  const suite = await spawnOwned(findSuiteNode(), [
    ...[program, "server", "--url", url],
    ...["--requirements", revision, "--output-dir", results],
  ]);
  const { code } = await suite.closed;
  return { exitCode: code, output: suite.output(), checks: readChecks(results) };
}

/** The failures of a scenario, as the suite describes them; empty when it passed. */
export function failuresOf({ checks, output }: SuiteRun, scenario: string): readonly string[] {
  const found = checks.get(scenario);
  if (found === undefined)
    return [`The suite wrote no results for ${scenario}. Its last words:\n${output.slice(-2000)}`];
  return linesOf(found, "FAILURE");
}

/** Remarks in addition to the verdicts: warnings, and failures that are not scored. */
export function remarksOf({ checks }: SuiteRun, revision: Revision): readonly string[] {
  const scored = new Set(scoredScenarios(revision));
  return [...checks].flatMap(([scenario, found]) => {
    const failed = scored.has(scenario) ? [] : linesOf(found, "FAILURE");
    const warnings = linesOf(found, "WARNING").map((line) => `warning: ${scenario}: ${line}`);
    return [...(failed.length > 0 ? [`failed, not scored: ${scenario} (${failed.length} checks)`] : []), ...warnings];
  });
}

function linesOf(checks: readonly Check[], status: Check["status"]): string[] {
  return checks
    .filter((check) => check.status === status)
    .map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`);
}

/** The suite writes a folder for each scenario, named after it and the time. */
function readChecks(results: string): Map<string, readonly Check[]> {
  const runs = readdirSync(results).flatMap((folder): [string, readonly Check[]][] => {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder) ?? [];
    const path = join(results, folder, "checks.json");
    if (scenario === undefined || !existsSync(path)) return [];
    return [[scenario, JSON.parse(readFileSync(path, "utf8")) as readonly Check[]]];
  });
  return new Map(runs);
}
