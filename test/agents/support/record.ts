// The results of the journeys, for docs/reference/agents.md: a line for each program and journey.
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Fact, NotRun, Outcome } from "../journeys/journey.ts";
import type { Program } from "../programs/program.ts";

interface Recorded {
  readonly program: Pick<Program, "id" | "title">;
  readonly version: string;
}

const folder = fileURLToPath(new URL("../../../.cache/agents-seen", import.meta.url));

/** Writes a line; of several about the same journey the last one holds. */
export async function record(
  { program, version }: Recorded,
  journey: string,
  outcome: Outcome | Fact | NotRun,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const line = { program: program.title, version, journey, ...outcome };
  await appendFile(join(folder, `${program.id}.jsonl`), `${JSON.stringify(line)}\n`);
}
