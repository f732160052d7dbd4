// The agent's window's memory of its parent across a reload. Storage is per tab; other scripts of this origin write to it,
// too, so entries in another form are dropped.
import type { Clock } from "../link/index.ts";
import { identifierPattern, isJsonObject, parseJson, pageLimits } from "../wire/index.ts";
import { readTools } from "./read-tools.ts";
import type { WindowTool } from "./tool-definition.ts";

/** The parent of the last connection. */
export interface RememberedParent {
  readonly origin: string;
  /** Whether a call may be repeated to it, because it remembers its calls. */
  readonly isOurs: boolean;
  readonly tools: readonly WindowTool[];
}

export interface LinkMemory {
  readonly parent: RememberedParent | undefined;
  setParent(parent: RememberedParent | undefined): void;
  /** The state of a call with this id that was sent in this document or the previous one. */
  call(id: string): CallState | undefined;
  setCall(id: string, state: CallState): void;
  /** Writes the states of the calls at once, not after a moment: the document unloads. */
  save(): void;
}

type CallState = "running" | "done";

export type LinkStorage = Pick<Storage, "getItem" | "setItem">;

const parentName = "pagewire-parent";
const callsName = "pagewire-parent-calls";
/** Max remembered calls; running ones are always remembered. */
const mostCalls = 100;
const writeTime = 1000;

export function createLinkMemory(storage: LinkStorage | undefined, clock: Clock): LinkMemory {
  let parent = readParent(load(parentName));
  const calls = readCalls(load(callsName));
  let stopTimer: (() => void) | undefined;

  function load(name: string): unknown {
    try {
      return parseJson(storage?.getItem(name) ?? "null", pageLimits.jsonDepth + 4);
    } catch {
      return undefined;
    }
  }

  function write(name: string, value: unknown): boolean {
    try {
      storage?.setItem(name, JSON.stringify(value));
      return true;
    } catch {
      // The storage is full or forbidden: only the memory across a reload is lost.
      return false;
    }
  }

  function save(): void {
    if (!stopTimer) return;
    stopTimer();
    stopTimer = undefined;
    write(callsName, [...calls]);
  }

  return {
    get parent() {
      return parent;
    },
    setParent(next) {
      parent = next;
      // A long list of tools may exceed the storage.
      if (!write(parentName, next ?? null) && next) write(parentName, { ...next, tools: [] });
    },
    call: (id) => calls.get(id),
    setCall(id, state) {
      // Moves it to the end: the newest come last.
      calls.delete(id);
      calls.set(id, state);
      for (const [oldest, was] of calls) {
        if (calls.size <= mostCalls) break;
        if (was === "done") calls.delete(oldest);
      }
      // Many calls share a write, since one per call would cost as much as the call.
      stopTimer ??= clock.after(writeTime, save);
    },
    save,
  };
}

function readParent(saved: unknown): RememberedParent | undefined {
  if (!isJsonObject(saved)) return undefined;
  const { origin, isOurs, tools } = saved;
  if (typeof origin !== "string" || !Array.isArray(tools)) return undefined;
  return { origin, isOurs: isOurs === true, tools: readTools(tools).tools };
}

function readCalls(saved: unknown): Map<string, CallState> {
  const calls = new Map<string, CallState>();
  for (const entry of Array.isArray(saved) ? saved.slice(-2 * mostCalls) : []) {
    if (!Array.isArray(entry)) continue;
    const [id, state] = entry as readonly unknown[];
    if (typeof id !== "string" || !identifierPattern.test(id)) continue;
    if (state === "running" || state === "done") calls.set(id, state);
  }
  return calls;
}
