// Chooses the first request of a connection, and the fallback if the server refuses it.
import { connectError, isOtherEra, isSettled, shownAddress } from "./failures.ts";
import type { McpHandshake, SessionOptions } from "./mcp-toolbox.ts";
import { connect } from "./session.ts";
import type { Begin, Session, SessionEvents } from "./session.ts";
import { isJsonObject, parseJsonObject } from "../wire/index.ts";

/** How long a refusal is remembered: a server may be updated. */
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

/** Remembers that a server refused one request, or did not answer it, but answered the other. */
export function noteRefusedHandshake(server: string, handshake: McpHandshake, now = Date.now()): void {
  known ??= load();
  known.delete(server);
  known.set(server, { handshake, until: now + rememberedTime });
  const [oldest] = known.keys();
  if (known.size > rememberedServers && oldest !== undefined) known.delete(oldest);
  try {
    pageStorage()?.setItem(storageKey, JSON.stringify(Object.fromEntries(known)));
  } catch {
    // The storage is full or forbidden; the refusal is still remembered in memory.
  }
}

/** Forgets a server: its address may belong to another one now. */
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

/** The page's storage. Other environments have none, or one for another purpose. */
function pageStorage(): Pick<Storage, "getItem" | "setItem"> | undefined {
  const { document, localStorage } = globalThis as { document?: unknown; localStorage?: Storage };
  return document === undefined ? undefined : localStorage;
}

interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

/** Connects; rejects with a `PagewireError`, or with the reason of the signal. */
export async function openSession(options: SessionOptions, events: SessionEvents): Promise<Session> {
  const server = shownAddress(options.url);
  try {
    const session = await shakeHands(options, events);
    return session.isDoubtful && refusedHandshake(server) !== "discover"
      ? await replaceDoubtful(session, options, events)
      : session;
  } catch (error) {
    throw options.signal?.aborted ? options.signal.reason : connectError(error, server);
  }
}

/** The timeout is longer when a server is asked to discover again. */
const discoverTimeoutFactor = 10;

/** Sends `server/discover` again. If no new connection can be made, the old session is kept. */
async function replaceDoubtful(session: Session, options: SessionOptions, events: SessionEvents): Promise<Session> {
  const server = shownAddress(options.url);
  const limits = { ...options.limits, discoverTime: discoverTimeoutFactor * options.limits.discoverTime };
  const asking = shakeHands({ ...withoutSignIn(options), handshake: "discover", limits }, events);
  const next = await asking.catch(() => undefined);
  if (!next && !options.signal?.aborted) return session;
  await session.close();
  if (!next) throw options.signal?.reason;
  const isNewer = next.client.getProtocolEra() === "modern";
  if (!isNewer || options.handshake === "initialize") noteRefusedHandshake(server, isNewer ? "initialize" : "discover");
  return next;
}

/** The code in an authorization redirect can be used once. */
function withoutSignIn({ authorizationResponse: _used, ...options }: SessionOptions): SessionOptions {
  return options;
}

/** Starts with the requested handshake; if the server refuses it, tries the other one. */
async function shakeHands(options: SessionOptions, events: SessionEvents): Promise<Session> {
  const { handshake, signal, limits } = options;
  const { connectTime, discoverTime } = limits;
  const server = shownAddress(options.url);
  const refused = refusedHandshake(server);
  const isDiscoverFirst = refused === undefined ? handshake === "discover" : refused === "initialize";
  if (isDiscoverFirst) {
    const begin = beginBy("discover", refused === "initialize" ? connectTime : discoverTime);
    try {
      const session = await connect(options, events, begin);
      // The SDK has fallen back to the other one by itself.
      if (begin.isInitialized && !session.isDoubtful) noteRefusedHandshake(server, "discover");
      return session;
    } catch (error) {
      if (begin.isInitialized || signal?.aborted || isSettled(error)) throw error;
    }
  }
  const rest = isDiscoverFirst ? withoutSignIn(options) : options;
  try {
    const session = await connect(rest, events, beginBy("initialize", 0));
    if (isDiscoverFirst && !session.isDoubtful) noteRefusedHandshake(server, "discover");
    return session;
  } catch (error) {
    if (signal?.aborted || !isOtherEra(error)) throw error;
    const discovering = connect(withoutSignIn(rest), events, beginBy("discover", connectTime));
    const session = await discovering.catch(() => Promise.reject(error as Error));
    noteRefusedHandshake(server, "initialize");
    return session;
  }
}

function beginBy(handshake: McpHandshake, discoverTime: number): Begin {
  return { handshake, discoverTime, isInitialized: false };
}
