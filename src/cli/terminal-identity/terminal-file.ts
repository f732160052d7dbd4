import { createTerminalFiles, stateDirectory, findProcess } from "../../state/index.ts";
import type { TerminalFiles, TerminalRecord, FindProcess } from "../../state/index.ts";
import type { Io } from "../common/io.ts";

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

/** The record of the ordinary terminal that this program runs in. */
export function readTerminalFile(io: TerminalIo): TerminalRecord | undefined {
  const files = terminalFiles(io);
  return files.names().length === 0 ? undefined : files.read(ownName(io));
}

/** Stores the record, and removes those of closed terminals. */
export function writeTerminalFile(io: TerminalIo, record: TerminalRecord): void {
  const files = terminalFiles(io);
  const find = findProcess(io.platform);
  for (const name of files.names()) {
    const [, id] = /^tty-(\d+)-/.exec(name) ?? [];
    if (id !== undefined && nameTerminal(Number(id), find) !== name) files.remove(name);
  }
  files.write(ownName(io), record);
}

function terminalFiles({ environment, platform, homeDirectory }: TerminalIo): TerminalFiles {
  return createTerminalFiles(stateDirectory(environment, platform, homeDirectory));
}

function ownName({ platform }: TerminalIo): string {
  return nameTerminal(process.pid, findProcess(platform));
}

/** The inputs for identifying the terminal that a program runs in. */
export type TerminalIo = Pick<Io, "environment" | "platform" | "homeDirectory">;
