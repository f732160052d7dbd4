import { readFile, readdir } from "node:fs/promises";

/** Microseconds of one tick in /proc; Linux tells user space 100 a second on every machine. */
const tick = 10_000;

/** The user and system time so far of a process and all its descendants that live, in µs. Linux only. */
export async function processTreeCpu(root: number): Promise<number> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const processes = (await Promise.all(ids.map(readProcess))).filter((one) => one !== undefined);
  const inTree = new Set([root]);
  // Parents do not always have the lower number, so this goes on until nothing is added.
  for (let before = 0; before < inTree.size;) {
    before = inTree.size;
    for (const { id, parent } of processes) if (inTree.has(parent)) inTree.add(id);
  }
  return processes.filter(({ id }) => inTree.has(id)).reduce((sum, { ticks }) => sum + ticks * tick, 0);
}

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly ticks: number;
}

async function readProcess(id: string): Promise<Process | undefined> {
  try {
    const stat = await readFile(`/proc/${id}/stat`, "utf8");
    // The name in parentheses may hold spaces; after it come the state, the parent, and as 12th and 13th the times.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { id: Number(id), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}
