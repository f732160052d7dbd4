import { createToolbox } from "../toolbox/index.ts";
import { builtInToolNames } from "../wire/index.ts";
import { carryLinks } from "./carry-links.ts";
import type { Chunks } from "./chunks.ts";
import { connectToHub } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { Session } from "./create-session.ts";
import type { PageEnvironment } from "./environment.ts";
import { createListeners } from "./listeners.ts";
import type { Page, PageCallEvent, PageState } from "./page.ts";
import { checkOptions } from "./page-options.ts";
import type { PageOptions } from "./page-options.ts";

/** What a page needs beside its options: the powers of the browser, and the code that is loaded only when needed. */
export interface PageParts {
  readonly environment: PageEnvironment;
  readonly chunks: Chunks;
}

/** A page that takes tools at once, and looks for its hub in the background. */
export function createPage(options: PageOptions, { environment, chunks }: PageParts): Page {
  const { app, hub, scripts, tools = [], limits, onError } = checkOptions(options);
  const states = createListeners<PageState>();
  const calls = createListeners<PageCallEvent>();
  const toolbox = createToolbox({
    loadValidator: chunks.validator,
    loadCalls: async () => (await chunks.session()).makeCalls,
    reserved: builtInToolNames,
    limits,
    onError,
  });
  for (const tool of tools) toolbox.registerTool(tool);

  let state: PageState;
  /** How the page stands with its hub, also while it is suspended. */
  let hubState: PageState;
  let suspension: PageState | undefined;
  let isClosed = false;
  let { token } = options;
  let connection: Connection | undefined;
  let session: Session | undefined;
  let starting: Promise<Session> | undefined;

  function setState(next: PageState): void {
    state = next;
    states.tell(next);
  }

  const retryNow = () => connection?.retryNow();
  const carried = scripts && carryLinks({ scripts, environment, load: chunks.worker, onLost: retryNow });

  function start(): void {
    if (token === null) return setHubState(signedOut);
    connection = connectToHub({
      environment: carried?.environment ?? environment,
      limits,
      hub,
      onError,
      async hello() {
        // A page without a hub never needs a session, and leaves no trace in its browser.
        starting ??= startSession();
        const { describe } = await starting;
        const given = typeof token === "function" ? await token() : token;
        return { app, token: given ?? undefined, ...describe() };
      },
      whyNoHello: () => (session ? "token-required" : "part-missing"),
      onWelcome: (welcome) => session?.welcomed(welcome),
      onFrame: (frame, payload) => session?.take(frame, payload),
      onState: setHubState,
      whyUnreachable: async () => (await chunks.unreachable()).whyUnreachable(hub),
    });
  }

  function setHubState(next: PageState): void {
    // Whoever adds the script to a page looks at its console first.
    if (next.status === "refused" && hubState.status !== "refused") console.warn(`Pagewire: ${next.message}`);
    hubState = next;
    if (!suspension) setState(next);
  }

  /** Leaves the hub for good, so far as this token goes: what runs for its principal ends. */
  function leave(): void {
    connection?.close();
    connection = undefined;
    session?.abortCalls();
  }

  const stopWaking = environment.onWoken(retryNow);

  /** Starts the one session of this page; what could not be loaded is tried again with the next link. */
  async function startSession(): Promise<Session> {
    try {
      const part = await chunks.session();
      session = await part.startSession({
        toolbox,
        limits,
        connection: { send: (frame, payload) => connection?.send(frame, payload) ?? false, retryNow },
        loadDialog: chunks.dialog,
        onCall: calls.tell,
        onCached: () => carried?.leave(),
        onSuspension(now) {
          suspension = now;
          setState(now ?? hubState);
        },
      });
    } catch (error) {
      starting = undefined;
      throw error;
    }
    if (isClosed) session.close();
    return session;
  }

  start();
  const { registerTool, registerResource, registerResourceTemplate, registerPrompt, resourceUpdated } = toolbox;
  return {
    registerTool,
    registerResource,
    registerResourceTemplate,
    registerPrompt,
    resourceUpdated,
    toolbox,
    get state() {
      return state;
    },
    onState: states.add,
    onCall: calls.add,
    reconnect: retryNow,
    setToken(next) {
      if (isClosed) return;
      // Before there is a session nothing runs that a new connection could disturb.
      const isSame = session?.speaksForSame(token, next);
      token = next;
      // A fresh token of the same person is for the next hello: what runs goes on.
      if (isSame) return retryNow();
      leave();
      start();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      leave();
      session?.close();
      carried?.close();
      stopWaking();
      toolbox.close();
      setState({ status: "closed", message: "This page offers no tools any more." });
    },
  };
}

const signedOut: PageState = {
  status: "signed-out",
  message: "Nobody is signed in. This page offers no tools.",
};
