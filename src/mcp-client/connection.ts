// Keeps one session with a server: opens it when it is needed, and where the server is listened to, again when it is lost.
import { unlessAborted } from "../toolbox/index.ts";
import { PagewireError } from "../wire/index.ts";
import { backoff } from "./backoff.ts";
import { connectError, shownAddress } from "./failures.ts";
import { openSession } from "./open-session.ts";
import type { SessionOptions } from "./mcp-toolbox.ts";
import type { Session, SessionEvents } from "./session.ts";

/** A session that lasted this long ends the row of attempts. */
const stableTime = 10_000;

export interface ConnectionNeeds extends Omit<SessionEvents, "lost" | "ended" | "listChanged"> {
  listChanged(session: Session, list: "tools" | "resources" | "prompts"): void;
  /** Runs with each new session before anything else does. */
  opened(session: Session): Promise<void>;
  /** The connection was lost, or could not be made again. Told once until there is one. */
  away(error: unknown): void;
  /** There is one again. */
  back(): void;
}

export interface Connection {
  /** The session; a new one where there is none. */
  session(): Promise<Session>;
  close(): Promise<void>;
}

export function createConnection(options: SessionOptions, needs: ConnectionNeeds): Connection {
  const { clock } = options;
  const server = shownAddress(options.url);
  const closing = new AbortController();
  /** The current one, and those that were lost while calls ran in them. */
  const sessions = new Set<Session>();
  let current: Session | undefined;
  let opening: Promise<Session> | undefined;
  let stopWaiting = () => {};
  let attempt = 0;
  let since = 0;
  let isAway = false;
  /** No session was there yet. */
  let isFirst = true;
  const { onUnreached } = options;

  async function open(): Promise<Session> {
    stopWaiting();
    const opened: { session?: Session } = {};
    const events: SessionEvents = {
      ...needs,
      listChanged: (list) => opened.session && needs.listChanged(opened.session, list),
      lost: (reason) => opened.session && current === opened.session && lost(reason),
      ended: () => opened.session && sessions.delete(opened.session),
    };
    const { signal: given, authorizationResponse, ...rest } = options;
    const isStopped = isFirst && given ? AbortSignal.any([given, closing.signal]) : closing.signal;
    isStopped.throwIfAborted();
    const first = isFirst && authorizationResponse ? { authorizationResponse } : {};
    const { signal, forget } = aTurnLater(isStopped);
    const session = await openSession({ ...rest, ...first, signal }, events).finally(forget);
    opened.session = session;
    try {
      await unlessAborted(needs.opened(session), isStopped);
      session.over.throwIfAborted();
      isStopped.throwIfAborted();
    } catch (error) {
      await session.close();
      throw isStopped.aborted ? isStopped.reason : connectError(error, server);
    }
    const wasAway = isAway;
    isFirst = false;
    isAway = false;
    since = clock.now();
    sessions.add(session);
    current = session;
    if (wasAway) needs.back();
    return session;
  }

  function lost(reason: unknown): void {
    current = undefined;
    if (clock.now() - since >= stableTime) attempt = 0;
    if (options.follow) retryLater(reason);
  }

  function retryLater(reason: unknown): void {
    if (closing.signal.aborted || (isFirst && (!onUnreached || options.signal?.aborted))) return;
    // The caller of connect receives the first failure.
    if (!isAway && !isFirst) needs.away(reason);
    isAway = true;
    stopWaiting();
    stopWaiting = clock.after(backoff(attempt++, options.random), () => void session().catch(() => {}));
  }

  async function session(): Promise<Session> {
    closing.signal.throwIfAborted();
    if (current) return current;
    opening ??= open()
      .catch((error: unknown) => {
        if (options.follow) retryLater(error);
        else isAway ||= isFirst;
        throw error;
      })
      .finally(() => (opening = undefined));
    return opening;
  }

  return {
    session,
    async close() {
      closing.abort(new PagewireError("not-delivered", `The connection to the MCP server at ${server} was closed.`));
      stopWaiting();
      await Promise.all([...Array.from(sessions, (one) => one.close()), opening?.catch(() => {})]);
    },
  };
}

/**
 * Aborts as this signal does, in the next turn of the event loop: an answer that came in this one may tell of a session,
 * which has to be known before it can be ended.
 */
function aTurnLater(signal: AbortSignal): { readonly signal: AbortSignal; readonly forget: () => void } {
  const later = new AbortController();
  const abort = () => setTimeout(() => later.abort(signal.reason));
  signal.addEventListener("abort", abort);
  return { signal: later.signal, forget: () => signal.removeEventListener("abort", abort) };
}
