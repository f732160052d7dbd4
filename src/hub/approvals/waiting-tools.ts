// The tools of pinned origins that wait to be accepted. It is kept in memory only, and bounded: a page that comes again
// says again what it has.
import type { Limits } from "../../wire/index.ts";

interface Waiting<Tool> {
  readonly tools: Map<string, Tool>;
  /** Of which of it somebody was told. */
  readonly told: Set<string>;
  bytes: number;
}

export interface WaitingTools<Tool> {
  of(principal: string): ReadonlyMap<string, Tool>;
  /** Says whether it is the first time that it is heard of; a page that changes its tool to and fro is heard once. */
  add(principal: string, key: string, tool: Tool): boolean;
  /** It does not wait any more. */
  delete(principal: string, key: string): void;
  /** Somebody decided: should it wait again, that is news. */
  settle(principal: string, key: string): void;
}

/** Of so many principals it is known what waits, and in so many bytes of all. */
const mostPrincipals = 200;
const mostBytesInAll = 64 * 1024 * 1024;

interface Definitions {
  readonly definition: string;
  readonly before?: string | undefined;
}

export function createWaitingTools<Tool extends Definitions>({
  pinsPerPrincipal: most,
  pinBytesPerPrincipal: mostBytes,
}: Pick<Limits, "pinsPerPrincipal" | "pinBytesPerPrincipal">): WaitingTools<Tool> {
  /** Who added something last comes last. */
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
    const found = principals.get(principal) ?? { tools: new Map<string, Tool>(), told: new Set<string>(), bytes: 0 };
    principals.delete(principal);
    principals.set(principal, found);
    return found;
  }

  function makeRoom(waiting: Waiting<Tool>): void {
    for (const oldest of waiting.tools.keys()) {
      if (waiting.tools.size <= most && waiting.bytes <= mostBytes) break;
      drop(waiting, oldest);
    }
    for (const [principal, { bytes }] of principals) {
      if (principals.size <= mostPrincipals && bytesInAll <= mostBytesInAll) break;
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
      if (waiting.told.has(key) || waiting.told.size >= most) return false;
      waiting.told.add(key);
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
      waiting.told.delete(key);
    },
  };
}

function bytesOf({ definition, before = "" }: Definitions): number {
  return Buffer.byteLength(definition) + Buffer.byteLength(before);
}
