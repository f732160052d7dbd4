import type { FindProcess } from "../../state/index.ts";

/** The name of all programs that run in no terminal. */
const NO_TERMINAL = "none";

/**
 * A name for the terminal that a process runs in, the same for all of its programs: the first process that has it, and
 * when that one was started, since names of devices and ids of processes are used again. Programs that an agent has cut
 * off from their terminal belong to the one that the agent runs in.
 */
export function nameTerminal(id: number, find: FindProcess): string {
  const seen = new Set<number>();
  let each = find(id);
  let first: typeof each;
  while (each !== undefined && !seen.has(each.id)) {
    if (each.terminal !== undefined && (first === undefined || each.terminal === first.terminal)) first = each;
    seen.add(each.id);
    each = find(each.parent);
  }
  return first === undefined ? NO_TERMINAL : `tty-${first.id}-${first.started}`;
}
