// Joins a page to its hub: holds its token, its connection and its one session.
import { carryLinks } from "./via-worker/carry-links.ts";
import type { PageParts } from "./chunks.ts";
import { connectToHub } from "./connection/connection.ts";
import type { Connected, Connection } from "./connection/connection.ts";
import type { Session, SessionOptions } from "./connection/create-session.ts";
import type { Page, PageState } from "./api/page.ts";
import type { CheckedOptions } from "./api/page-options.ts";

interface HubOptions extends PageParts, Omit<SessionOptions, "hub" | "retryNow" | "onCached" | "onSuspension"> {
  readonly signal: AbortSignal;
  onState(state: PageState): void;
}

/** Connects a page to its hub while a user is signed in, until the signal aborts. */
export function joinHub(
  options: CheckedOptions,
  { environment, chunks, signal, onState, ...serving }: HubOptions,
): Pick<Page, "reconnect" | "setToken"> {
  const { hub, worker, serviceWorker } = options;
  const connecting: PageState = { status: "connecting", message: `Connecting to the hub at ${hub}.` };
  const connected: Connected = { hub };
  /** The state of the connection, also while the page is suspended. */
  let state: PageState;
  let suspension: PageState | undefined;
  let { token } = options;
  /** The token of the last hello. */
  let sentToken: string | null | undefined;
  let connection: Connection | undefined;
  let session: Session | undefined;
  let starting: Promise<Session> | undefined;

  const reconnect = () => connection?.retryNow();
  const carried =
    worker || serviceWorker
      ? carryLinks({ worker, serviceWorker, environment, load: chunks.worker, hurry: reconnect })
      : undefined;

  function start(): void {
    // Listeners may have changed the token again or closed the page.
    if (signal.aborted || connection) return;
    if (!token && token !== undefined) return setState(signedOut);
    connection = connectToHub({
      ...options,
      environment: carried?.environment ?? environment,
      connected,
      async token() {
        return (sentToken = typeof token === "function" ? await token() : token);
      },
      // A page without a hub never needs a session, and leaves no trace in its browser.
      session: () => (starting ??= startSession()),
      onState: setState,
      whyUnreachable: async () => (await chunks.unreachable()).whyUnreachable(hub),
    });
    // Listeners may end the connection.
    setState(connecting);
  }

  function setState(next: PageState): void {
    if (next.status === "refused" && state.status !== "refused") {
      // The token of an earlier hello expired, and there may be a fresh one.
      if (next.code === "token-expired" && state !== connecting && token !== sentToken) {
        state = connecting;
        return reconnect();
      }
      // The author of a page looks at its console first.
      console.warn(`Pagewire: ${next.message}`);
    }
    state = next;
    if (!suspension) onState(next);
  }

  /** Starts the one session of this page. If its code cannot be loaded, the next link tries again. */
  async function startSession(): Promise<Session> {
    try {
      const part = await chunks.session();
      session = await part.startSession({
        ...serving,
        hub: connected,
        retryNow: reconnect,
        onCached: () => carried?.leave(),
        onSuspension: (now) => onState((suspension = now) ?? state),
      });
    } catch (error) {
      starting = undefined;
      throw error;
    }
    if (signal.aborted) session.close();
    return session;
  }

  /** Closes the connection and aborts the calls of the token's principal. */
  function leave(): void {
    connection?.close();
    connection = undefined;
    session?.abortCalls();
  }

  environment.onWoken(reconnect, signal);
  signal.addEventListener("abort", () => {
    leave();
    session?.close();
    carried?.leave();
  });
  start();
  return {
    reconnect,
    setToken(next) {
      if (signal.aborted) return;
      // Without a session, no call runs that a new connection could abort.
      const isSame = token === next || session?.speaksForSame(token, next);
      token = next;
      // A refreshed token of the same person is used in the next hello: running calls continue.
      if (isSame) return reconnect();
      leave();
      start();
    },
  };
}

const signedOut: PageState = {
  status: "signed-out",
  message: "Nobody is signed in. This page offers no tools.",
};
