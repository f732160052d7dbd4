// The tools of pinned origins that wait to be accepted, in bounded memory: a page that reconnects offers them again.
import type { Limits } from "../../wire/index.ts";

interface Waiting<Tool> {
  readonly tools: Map<string, Tool>;
  /** The definitions that were reported. */
  readonly reported: Set<string>;
  bytes: number;
}

export interface WaitingTools<Tool> {
  of(principal: string): ReadonlyMap<string, Tool>;
  /** Returns whether it is new. A page that toggles between definitions is reported once. */
  add(principal: string, key: string, tool: Tool): boolean;
  delete(principal: string, key: string): void;
  /** Called when a person has decided: if it waits again, it is reported again. */
  settle(principal: string, key: string): void;
}

/** Max principals, and max bytes in all. */
const maxPrincipals = 200;
const maxBytesInAll = 64 * 1024 * 1024;

interface Definitions {
  readonly definition: string;
  readonly before?: string | undefined;
}

export function createWaitingTools<Tool extends Definitions>({
  pinsPerPrincipal: max,
  pinBytesPerPrincipal: maxBytes,
}: Pick<Limits, "pinsPerPrincipal" | "pinBytesPerPrincipal">): WaitingTools<Tool> {
  /** Least recently added to first. */
  const principals = new Map<string, Waiting<Tool>>();
  let bytesInAll = 0;

  function grow(waiting: Waiting<Tool>, bytes: number): void {
    waiting.bytes += bytes;
    bytesInAll += bytes;
  }

  function drop(waiting: Waiting<Tool>, key: string): void {
    const tool = waiting.tools.get(key);
    if (tool && waiting.tools.delete(key)) grow(waiting, -bytesOf(tool));
  }

  function waitingOf(principal: string): Waiting<Tool> {
    const found = principals.get(principal) ?? {
      tools: new Map<string, Tool>(),
      reported: new Set<string>(),
      bytes: 0,
    };
    principals.delete(principal);
    principals.set(principal, found);
    return found;
  }

  function makeRoom(waiting: Waiting<Tool>): void {
    for (const oldest of waiting.tools.keys()) {
      if (waiting.tools.size <= max && waiting.bytes <= maxBytes) break;
      drop(waiting, oldest);
    }
    for (const [principal, { bytes }] of principals) {
      if (principals.size <= maxPrincipals && bytesInAll <= maxBytesInAll) break;
      principals.delete(principal);
      bytesInAll -= bytes;
    }
  }

  return {
    of: (principal) => principals.get(principal)?.tools ?? new Map(),
    add(principal, key, tool) {
      const waiting = waitingOf(principal);
      drop(waiting, key);
      waiting.tools.set(key, tool);
      grow(waiting, bytesOf(tool));
      makeRoom(waiting);
      if (waiting.reported.has(key) || waiting.reported.size >= max) return false;
      waiting.reported.add(key);
      return true;
    },
    delete(principal, key) {
      const waiting = principals.get(principal);
      if (waiting) drop(waiting, key);
    },
    settle(principal, key) {
      const waiting = principals.get(principal);
      if (!waiting) return;
      drop(waiting, key);
      waiting.reported.delete(key);
    },
  };
}

function bytesOf({ definition, before = "" }: Definitions): number {
  return Buffer.byteLength(definition) + Buffer.byteLength(before);
}
