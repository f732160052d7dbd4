// Which first request a server refused lately, so that it is not sent again: for this process, and in a page for the next
// ones of its origin, too. It knows addresses and days, not MCP.
import { isJsonObject, parseJsonObject } from "../wire/index.ts";
import type { McpHandshake } from "./mcp-toolbox.ts";

/** A server may be another one after an update. */
const rememberedTime = 24 * 60 * 60_000;
const rememberedServers = 100;
const storageKey = "pagewire-mcp-handshakes";

interface Refusal {
  readonly handshake: McpHandshake;
  /** Milliseconds since 1970. */
  readonly until: number;
}

let known: Map<string, Refusal> | undefined;

/** The first request that a server refused less than a day ago. */
export function refusedHandshake(server: string, now = Date.now()): McpHandshake | undefined {
  known ??= load();
  const refusal = known.get(server);
  return refusal !== undefined && refusal.until > now ? refusal.handshake : undefined;
}

/** Notes that a server refused one, or did not answer it; it answered the other. */
export function noteRefusedHandshake(server: string, handshake: McpHandshake, now = Date.now()): void {
  known ??= load();
  known.delete(server);
  known.set(server, { handshake, until: now + rememberedTime });
  const [oldest] = known.keys();
  if (known.size > rememberedServers && oldest !== undefined) known.delete(oldest);
  try {
    pageStorage()?.setItem(storageKey, JSON.stringify(Object.fromEntries(known)));
  } catch {
    // Full or forbidden: this process remembers it all the same.
  }
}

/** Forgets a server: another one may be at its address now. */
export function forgetHandshake(server: string): void {
  known?.delete(server);
}

function load(): Map<string, Refusal> {
  try {
    const kept = parseJsonObject(pageStorage()?.getItem(storageKey) ?? "{}", 3) ?? {};
    return new Map(Object.entries(kept).filter((entry): entry is [string, never] => isRefusal(entry[1])));
  } catch {
    return new Map();
  }
}

function isRefusal(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { handshake, until } = value;
  return (handshake === "discover" || handshake === "initialize") && typeof until === "number";
}

/** The storage of a page. Elsewhere there is none, or one that is somebody else's. */
function pageStorage(): Pick<Storage, "getItem" | "setItem"> | undefined {
  const { document, localStorage } = globalThis as { document?: unknown; localStorage?: Storage };
  return document === undefined ? undefined : localStorage;
}

interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}
