// Chooses the first request of a connection, and the fallback if the server refuses it.
import { settledWithin } from "./deadline.ts";
import { connectError, isBusy, isOtherEra, isSettled, saysNothing, shownAddress } from "./failures.ts";
import type { McpHandshake, SessionOptions } from "./mcp-toolbox.ts";
import { connect } from "./session.ts";
import type { Session, SessionEvents } from "./session.ts";
import { PagewireError, isJsonObject, parseJsonObject } from "../wire/index.ts";

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
  const refusal = known.get(keyOf(server));
  return refusal !== undefined && refusal.until > now ? refusal.handshake : undefined;
}

/** Remembers that a server refused one request, or did not answer it, but answered the other. */
export function noteRefusedHandshake(server: string, handshake: McpHandshake, now = Date.now()): void {
  known ??= load();
  const key = keyOf(server);
  known.delete(key);
  known.set(key, { handshake, until: now + rememberedTime });
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
  known?.delete(keyOf(server));
}

/** Stands for a whole address, whose query may choose the server, and may be a secret: it is not kept itself. */
function keyOf(server: string): string {
  const [first, second] = [0x81_1c_9d_c5, 0x9d_c5_81_1c].map((seed) => {
    let hash = seed;
    for (const unit of server.replace(/#.*$/s, "")) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01_00_01_93);
    return (hash >>> 0).toString(36);
  });
  return `${first}-${second}`;
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
  const refused = refusedHandshake(options.url);
  const isDiscoverFirst = refused === undefined ? options.handshake === "discover" : refused === "initialize";
  try {
    return await (isDiscoverFirst ? discoverFirst : initializeFirst)(options, events);
  } catch (error) {
    throw options.signal?.aborted ? options.signal.reason : connectError(error, shownAddress(options.url));
  }
}

/** For a server that has taken `initialize`: rejects if it is not of the newer era as well, and remembers that. */
export async function openNewer(options: SessionOptions, events: SessionEvents): Promise<Session> {
  const { url } = options;
  const limits = { ...options.limits, connectTime: options.limits.connectTime / 2 };
  if (refusedHandshake(url) === "discover") throw new Error("The server has refused server/discover.");
  try {
    const session = await connect({ ...withoutSignIn(options), limits }, events, "discover");
    noteRefusedHandshake(url, "initialize");
    return session;
  } catch (error) {
    if (!options.signal?.aborted && !saysNothing(error)) noteRefusedHandshake(url, "discover");
    throw error;
  }
}

async function initializeFirst(options: SessionOptions, events: SessionEvents): Promise<Session> {
  try {
    return await connect(options, events, "initialize");
  } catch (error) {
    if (options.signal?.aborted || !isOtherEra(error)) throw error;
    return discoverAfter(error, options, events);
  }
}

/** For a server that has refused `initialize` as one of the newer era. */
async function discoverAfter(refusal: unknown, options: SessionOptions, events: SessionEvents): Promise<Session> {
  const asking = connect(withoutSignIn(options), events, "discover");
  const session = await asking.catch(() => Promise.reject(refusal as Error));
  noteRefusedHandshake(options.url, "initialize");
  return session;
}

/**
 * Sends `server/discover`, and `initialize` once that is refused or unanswered for a moment: a server that has never heard of
 * it may answer with anything, or not at all. The first session is used; a refusal waits for the other request.
 */
async function discoverFirst(options: SessionOptions, events: SessionEvents): Promise<Session> {
  const { url, signal, limits } = options;
  const isKnown = refusedHandshake(url) === "initialize";
  const discovering = attempt("discover", options, events);
  const asked = discovering.outcome;
  const early = await settledWithin(asked, isKnown ? limits.connectTime / 2 : limits.discoverTime);
  if (early && "session" in early) return early.session;
  if (early && (signal?.aborted || isFinal(early))) throw early.error;
  const rest = withoutSignIn(options);
  const initializing = attempt("initialize", rest, events);
  const begun = initializing.outcome;
  const orLate = async (refusal: Outcome) => {
    const late = await settledWithin(asked, limits.connectTime / 2);
    return late && isFinal(late) ? late : refusal;
  };
  const first = await Promise.race([
    asked.then((one) => (isFinal(one) ? one : begun)),
    begun.then((one) => (isFinal(one) ? one : orLate(one))),
  ]);
  const isNewer = first.handshake === "discover";
  (isNewer ? initializing : discovering).cancel();
  if ("session" in first) {
    const other = isNewer ? undefined : await settledWithin(asked, 0);
    const isUnknown = other && "error" in other && isBusy(other.error);
    if (!isUnknown) noteRefusedHandshake(url, isNewer ? "initialize" : "discover");
    return first.session;
  }
  if (signal?.aborted || isFinal(first) || !isOtherEra(first.error)) throw first.error;
  return discoverAfter(first.error, rest, events);
}

type Outcome = { readonly handshake: McpHandshake } & ({ readonly session: Session } | { readonly error: unknown });

/** Whether the other handshake would change nothing. */
function isFinal(outcome: Outcome): boolean {
  return "session" in outcome || isSettled(outcome.error);
}

/** Connects by one handshake; `cancel` ends that, also when it has succeeded. */
function attempt(handshake: McpHandshake, options: SessionOptions, events: SessionEvents) {
  const cancelling = new AbortController();
  const signal = AbortSignal.any([cancelling.signal, ...(options.signal ? [options.signal] : [])]);
  const outcome = connect({ ...options, signal }, events, handshake).then(
    (session): Outcome => ({ handshake, session }),
    (error: unknown): Outcome => ({ handshake, error }),
  );
  return {
    outcome,
    cancel() {
      cancelling.abort(new PagewireError("cancelled", "The server has answered another request."));
      void outcome.then(async (one) => ("session" in one ? one.session.close() : undefined));
    },
  };
}

/** The code in an authorization redirect can be used once. */
function withoutSignIn({ authorizationResponse: _used, ...options }: SessionOptions): SessionOptions {
  return options;
}
