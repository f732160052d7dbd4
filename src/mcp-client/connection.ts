// Manages the session with a server: opens one on demand, and if it is followed, opens another when it is lost.
import { unlessAborted } from "../toolbox/index.ts";
import { PagewireError } from "../wire/index.ts";
import { backoff, stableTime } from "./backoff.ts";
import { startDeadline } from "./deadline.ts";
import { connectError, shownAddress } from "./failures.ts";
import { openNewer, openSession } from "./open-session.ts";
import type { SessionOptions } from "./mcp-toolbox.ts";
import type { Session, SessionEvents } from "./session.ts";

export interface ConnectionNeeds extends Omit<SessionEvents, "lost" | "ended" | "listChanged"> {
  listChanged(session: Session, list: "tools" | "resources" | "prompts"): void;
  /** Runs before anything else in each new session. */
  opened(session: Session): Promise<void>;
  /** Called once when the connection is lost or cannot be restored, until there is one again. */
  away(error: unknown): void;
  /** Called when there is a connection again. */
  back(): void;
}

export interface Connection {
  /** The current session; opens one if there is none. */
  session(): Promise<Session>;
  close(): Promise<void>;
}

export function createConnection(options: SessionOptions, needs: ConnectionNeeds): Connection {
  const { clock } = options;
  const server = shownAddress(options.url);
  const closing = new AbortController();
  /** The current session, and lost ones with running calls. */
  const sessions = new Set<Session>();
  let current: Session | undefined;
  let opening: Promise<Session> | undefined;
  let replacing: Promise<unknown> | undefined;
  let stopWaiting = () => {};
  let attempt = 0;
  let since = 0;
  let isAway = false;
  /** There has been no session yet. */
  let isFirst = true;

  async function open(begin: typeof openSession): Promise<Session> {
    stopWaiting();
    const opened: { session?: Session } = {};
    const events: SessionEvents = {
      ...needs,
      listChanged: (list) => opened.session && needs.listChanged(opened.session, list),
      lost: (session, reason) => current === session && lost(reason),
      ended: (session) => sessions.delete(session),
    };
    const { signal: given, authorizationResponse, ...rest } = options;
    const isStopped = isFirst && given ? AbortSignal.any([given, closing.signal]) : closing.signal;
    isStopped.throwIfAborted();
    const first = isFirst && authorizationResponse ? { authorizationResponse } : {};
    const inTime = startDeadline(options.limits.connectTime, server);
    const { signal, forget } = aTurnLater(AbortSignal.any([isStopped, inTime.signal]));
    const opening = begin({ ...rest, ...first, signal }, events).finally(forget);
    let session: Session;
    try {
      session = await unlessAborted(opening, inTime.signal);
      opened.session = session;
      await unlessAborted(needs.opened(session), AbortSignal.any([isStopped, inTime.signal]));
      session.over.throwIfAborted();
      isStopped.throwIfAborted();
    } catch (error) {
      const closing = opening.then((one) => one.close()).catch(() => {});
      // A server that has not answered in time gets no more time for its goodbye.
      if (!inTime.signal.aborted) await closing;
      throw isStopped.aborted ? isStopped.reason : connectError(error, server);
    } finally {
      inTime.stop();
    }
    const wasAway = isAway;
    isFirst = false;
    isAway = false;
    since = clock.now();
    sessions.add(session);
    const before = current;
    current = session;
    before?.retire();
    if (wasAway) needs.back();
    return session;
  }

  function lost(reason: unknown): void {
    current = undefined;
    if (clock.now() - since >= stableTime) attempt = 0;
    if (options.follow) retryLater(reason);
  }

  function retryLater(reason: unknown): void {
    if (closing.signal.aborted || (isFirst && (!options.onUnreached || options.signal?.aborted))) return;
    // The caller of connect receives the first failure.
    if (!isAway && !isFirst) needs.away(connectError(reason, server));
    isAway = true;
    stopWaiting();
    stopWaiting = clock.after(backoff(attempt++, options.random), () => void session().catch(() => {}));
  }

  async function session(): Promise<Session> {
    closing.signal.throwIfAborted();
    if (current) return current;
    opening ??= open(openSession)
      .then((one) => {
        if (one.isWithoutNews) replacing = open(openNewer).catch(() => {});
        return one;
      })
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
      await Promise.all([...Array.from(sessions, (one) => one.close()), opening?.catch(() => {}), replacing]);
    },
  };
}

/**
 * A signal that aborts one turn of the event loop after this one: a response in the current turn may contain a session
 * id, which is needed to end the session.
 */
function aTurnLater(signal: AbortSignal): { readonly signal: AbortSignal; readonly forget: () => void } {
  const later = new AbortController();
  const abort = () => setTimeout(() => later.abort(signal.reason));
  signal.addEventListener("abort", abort);
  return { signal: later.signal, forget: () => signal.removeEventListener("abort", abort) };
}
