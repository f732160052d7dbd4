import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { addLines, readLines } from "./line-file.ts";
import type { OnProblem } from "./line-file.ts";

/** How many tokens each principal used, in one file for each day. Not to be asked twice at one time. */
export interface UsageFiles {
  tokens(principal: string, day: string): Promise<number>;
  add(principal: string, day: string, tokens: number): Promise<void>;
}

/** Files of so many days are kept. */
const daysKept = 31;

export function createUsageFiles(directory: string, onProblem: OnProblem): UsageFiles {
  let today = "";
  let used = new Map<string, number>();

  const pathOf = (day: string) => join(directory, `${day}.jsonl`);
  const add = (principal: string, tokens: number) => used.set(principal, (used.get(principal) ?? 0) + tokens);

  async function turnTo(day: string): Promise<void> {
    if (day === today) return;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const old = (await readdir(directory)).sort().slice(0, -daysKept);
    for (const name of old) await rm(join(directory, name), { force: true });
    used = new Map();
    for (const { principal, tokens } of (await readLines(pathOf(day), onProblem)) ?? []) {
      if (typeof principal === "string" && typeof tokens === "number") add(principal, tokens);
    }
    today = day;
  }

  return {
    async tokens(principal, day) {
      await turnTo(day);
      return used.get(principal) ?? 0;
    },
    async add(principal, day, tokens) {
      await turnTo(day);
      add(principal, tokens);
      await addLines(pathOf(day), [{ principal, tokens }], onProblem);
    },
  };
}
