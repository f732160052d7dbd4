// Finds the command that wants a password: of git's processes above the helper, the topmost one.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { oneLine } from "../common/plain-text.ts";
import type { FindProcess } from "../../state/index.ts";
import { maskWord, maskWords } from "./credential.ts";

/** How often to check for a process that ended without a signal. */
const pollInterval = 500;

/** Aborts once one of these processes has ended; `stop` ends the watch, not the processes. */
export function watchProcesses(ids: readonly number[]): { readonly signal: AbortSignal; stop(): void } {
  const gone = new AbortController();
  const timer = setInterval(() => {
    if (!ids.every(isThere)) gone.abort();
  }, pollInterval);
  return { signal: gone.signal, stop: () => clearInterval(timer) };
}

function isThere(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Another user's process is there too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The asking command, and its processes, all of which must stay alive until the answer. */
export interface Asker {
  readonly command: string;
  readonly ids: readonly number[];
}

export interface ProcessLookup {
  readonly find: FindProcess;
  /** The arguments that a process was started with; none where they are unknown. */
  argumentsOf(id: number): readonly string[];
}

const maxAncestors = 16;
const maxCommandLength = 300;

/** The git that a process was started by, as it was typed; else the process that started it. */
export function findAsker(parent: number, { find, argumentsOf }: ProcessLookup): Asker {
  const above = ancestors(parent, find).map((id) => ({ id, words: argumentsOf(id) }));
  const nearest = above.findIndex(({ words }) => isGit(words));
  const fromGit = nearest === -1 ? [] : above.slice(nearest);
  const end = fromGit.findIndex(({ words }) => !isGit(words));
  const chain = fromGit.slice(0, end === -1 ? undefined : end);
  const typed = chain.at(-1);
  if (typed === undefined) return { command: shown(argumentsOf(parent)), ids: [parent] };
  return { command: shown(typed.words), ids: chain.map(({ id }) => id) };
}

/** Reads the arguments of a process from the system if possible, otherwise from `ps`. */
export function argumentsOfProcess(id: number, platform: string): readonly string[] {
  try {
    if (platform === "linux") return readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0").slice(0, -1);
    if (platform === "win32") return [];
    const text = execFileSync("ps", ["-ww", "-o", "args=", "-p", String(id)], { encoding: "utf8", timeout: 5000 });
    // `ps` does not separate the arguments, so secrets must be masked before splitting.
    return maskWord(text.trim()).split(/\s+/);
  } catch {
    return [];
  }
}

function ancestors(parent: number, find: FindProcess): readonly number[] {
  const ids: number[] = [];
  for (let id = parent; id > 1 && ids.length < maxAncestors && !ids.includes(id); id = find(id)?.parent ?? 0)
    ids.push(id);
  return ids;
}

function isGit([program = ""]: readonly string[]): boolean {
  return /^git(-[\w-]+)?(\.exe)?$/.test(basename(program));
}

/** For reading, not for running. */
function shown([program = "", ...words]: readonly string[]): string {
  const text = [basename(program), ...maskWords(words)].map((word) => (/^\S+$/.test(word) ? word : `"${word}"`));
  return program === "" ? "" : oneLine(text.join(" "), maxCommandLength);
}
