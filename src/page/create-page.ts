import { createListeners, createToolbox, pageToolboxes } from "../toolbox/index.ts";
import { builtInToolNames } from "../wire/index.ts";
import { carryLinks } from "./carry-links.ts";
import type { Chunks } from "./chunks.ts";
import { connectToHub } from "./connection.ts";
import type { Connected, Connection } from "./connection.ts";
import type { Session } from "./create-session.ts";
import type { PageEnvironment } from "./environment.ts";
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
  const {
    app,
    hub,
    worker,
    serviceWorker,
    tools = [],
    native,
    browserTools = true,
    limits,
    onError,
  } = checkOptions(options);
  const states = createListeners<void>(report);
  const followers = createListeners<PageCallEvent>(report);
  const toolbox = createToolbox({
    loadValidator: chunks.validator,
    loadCalls: async () => (await chunks.session()).makeCalls,
    reserved: builtInToolNames,
    limits,
    onError,
  });
  for (const tool of tools) toolbox.registerTool(tool);
  /** What serves a hub needs it, and what serves the browser's own agent. */
  const serving = { toolbox, limits, loadDialog: chunks.dialog, followers };

  const connecting: PageState = { status: "connecting", message: `Connecting to the hub at ${hub}.` };
  let state: PageState;
  /** How the page stands with its hub, also while it is suspended. */
  let hubState: PageState;
  let suspension: PageState | undefined;
  const closing = new AbortController();
  const { signal } = closing;
  /** Tells, once, why what serves the browser's own agent could not be loaded; missing where it is, or is on its way. */
  let tellUnserved: (() => void) | undefined;
  let { token } = options;
  /** What the last hello said in its place. */
  let said: string | null | undefined;
  const connected: Connected = { link: undefined };
  let connection: Connection | undefined;
  let session: Session | undefined;
  let starting: Promise<Session> | undefined;

  function setState(next: PageState): void {
    state = next;
    states.tell();
  }

  const retryNow = () => connection?.retryNow();
  const carried =
    worker || serviceWorker
      ? carryLinks({ worker, serviceWorker, environment, load: chunks.worker, hurry: retryNow })
      : undefined;

  function start(): void {
    // What ran until now may have heard of its end, and changed the token again or closed the page.
    if (signal.aborted || connection) return;
    if (!token && token !== undefined) return setHubState(signedOut);
    connection = connectToHub({
      environment: carried?.environment ?? environment,
      limits,
      hub,
      connected,
      onError,
      app,
      async token() {
        return (said = typeof token === "function" ? await token() : token);
      },
      // A page without a hub never needs a session, and leaves no trace in its browser.
      session: () => (starting ??= startSession()),
      onState: setHubState,
      whyUnreachable: async () => (await chunks.unreachable()).whyUnreachable(hub),
    });
    // Whoever hears of it may end the connection.
    setHubState(connecting);
  }

  function setHubState(next: PageState): void {
    if (next.status === "refused" && hubState.status !== "refused") {
      // It is the token of an earlier hello that is over, and there may be a fresh one.
      if (next.code === "token-expired" && hubState !== connecting && token !== said) {
        hubState = connecting;
        return retryNow();
      }
      // Whoever adds the script to a page looks at its console first.
      console.warn(`Pagewire: ${next.message}`);
    }
    hubState = next;
    if (!suspension) setState(next);
    if (tellUnserved && next.status === "connected") void serveBrowser();
    tellUnserved?.();
  }

  /** Leaves the hub for good, so far as this token goes: what runs for its principal ends. */
  function leave(): void {
    connection?.close();
    connection = undefined;
    session?.abortCalls();
  }

  environment.onWoken(retryNow, signal);

  /** Serves the browser's own agent as long as this page is open. */
  async function serveBrowser(): Promise<void> {
    tellUnserved = undefined;
    try {
      (await chunks.modelContext()).serveModelContext({ ...serving, native, browserTools, onError, signal });
    } catch (error) {
      tellUnserved = () => {
        // A hub that refuses this page, or is about to, lets it load nothing either, and says why.
        if (hubState === connecting || hubState.status === "refused") return;
        tellUnserved = () => {};
        onError(error, { stage: "model context" });
      };
      tellUnserved();
    }
  }

  /** Starts the one session of this page; what could not be loaded is tried again with the next link. */
  async function startSession(): Promise<Session> {
    try {
      const part = await chunks.session();
      session = await part.startSession({
        ...serving,
        hub: connected,
        retryNow,
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
    if (signal.aborted) session.close();
    return session;
  }

  start();
  pageToolboxes.add(toolbox);
  if (native || browserTools) environment.onModelContext(serveBrowser, signal);
  const { registerTool, registerResource, registerResourceTemplate, registerPrompt, resourceUpdated } = toolbox;
  return {
    registerTool,
    registerResource,
    registerResourceTemplate,
    registerPrompt,
    resourceUpdated,
    toolbox,
    hub,
    get state() {
      return state;
    },
    // One that changes the state again is not to have the others hear the newest first.
    onState: (listener) => states.add(() => listener(state)),
    onCall: followers.add,
    reconnect: retryNow,
    setToken(next) {
      if (signal.aborted) return;
      // Before there is a session nothing runs that a new connection could disturb.
      const isSame = token === next || session?.speaksForSame(token, next);
      token = next;
      // A fresh token of the same person is for the next hello: what runs goes on.
      if (isSame) return retryNow();
      leave();
      start();
    },
    close() {
      if (signal.aborted) return;
      closing.abort();
      leave();
      session?.close();
      carried?.leave();
      pageToolboxes.delete(toolbox);
      toolbox.close();
      setState({ status: "closed", message: "This page offers no tools any more." });
    },
  };
}

const signedOut: PageState = {
  status: "signed-out",
  message: "Nobody is signed in. This page offers no tools.",
};

/** What a listener throws is reported as an error that nobody caught. */
function report(error: unknown): void {
  reportError(error);
}
