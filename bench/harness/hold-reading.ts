import type { ReaderParameters } from "../streams/reader.ts";
import { createClosingList } from "./closing-list.ts";
import { holdContest } from "./hold-contest.ts";
import type { Contestant, Question } from "./hold-contest.ts";
import { startRole } from "./role-process.ts";
import type { Bench, Row } from "./row.ts";

const tokenCount = 10_000;
/** How long a turn is, in milliseconds. */
const turnTime = 1000;

export const metric = "CPU ms per 10,000 tokens";

export type Reading = Omit<ReaderParameters, "name" | "tokenCount">;

/** Has readers of these names, each a process of its own, read the same answer in turns. */
export async function holdReading(
  names: readonly string[],
  reading: Reading,
  { bench, ...question }: Question & { readonly bench: Bench },
): Promise<readonly Row[]> {
  const running = createClosingList();
  try {
    const contestants: Contestant[] = [];
    for (const name of names) {
      const reader = running.add(await startRole("reader", { reader: { ...reading, name, tokenCount } }));
      contestants.push({ name, measure: async () => ({ [metric]: await turnOf(reader.work, bench) }) });
    }
    return await holdContest(contestants, bench.rounds, [question]);
  } finally {
    await running.close();
  }
}

/** The mean of as many readings as the turn has time for, in ms. */
async function turnOf(work: () => Promise<number>, { quick }: Bench): Promise<number> {
  const end = performance.now() + (quick ? 0 : turnTime);
  let sum = 0;
  let count = 0;
  do {
    sum += await work();
    count++;
  } while (performance.now() < end);
  return sum / count / 1000;
}
