import { createTerminalFiles, stateDirectory } from "../../state/index.ts";
import type { TerminalFiles, TerminalRecord } from "../../state/index.ts";
import { nameTerminal } from "./name-terminal.ts";
import { findProcess } from "../../state/index.ts";
import type { TerminalIo } from "./terminal-io.ts";

/** What was kept of the ordinary terminal that this program runs in. */
export function readTerminalFile(io: TerminalIo): TerminalRecord | undefined {
  const files = terminalFiles(io);
  return files.names().length === 0 ? undefined : files.read(ownName(io));
}

/** Keeps it, and forgets the terminals that were closed. */
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
