import { createToolbox } from "../toolbox/index.ts";
import { builtInToolNames } from "../wire/index.ts";
import type { Chunks } from "./chunks.ts";
import { connectToHub } from "./connection.ts";
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
  const { app, hub, token, tools = [], limits, onError } = checkOptions(options);
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
  let session: Session | undefined;
  let starting: Promise<Session> | undefined;

  function setState(next: PageState): void {
    state = next;
    states.tell(next);
  }

  const connection = connectToHub({
    environment,
    limits,
    hub,
    onError,
    async hello() {
      // A page without a hub never needs a session, and leaves no trace in its browser.
      starting ??= startSession();
      const { describe } = await starting;
      const given = typeof token === "function" ? await token() : token;
      return { app, token: given, ...describe() };
    },
    whyNoHello: () => (session ? "token-required" : "part-missing"),
    onWelcome: (welcome) => session?.welcomed(welcome),
    onFrame: (frame, payload) => session?.take(frame, payload),
    onState(next) {
      // Whoever adds the script to a page looks at its console first.
      if (next.status === "refused" && hubState.status !== "refused") console.warn(`Pagewire: ${next.message}`);
      hubState = next;
      if (!suspension) setState(next);
    },
    whyUnreachable: async () => (await chunks.unreachable()).whyUnreachable(hub),
  });
  const stopWaking = environment.onWoken(connection.retryNow);

  /** Starts the one session of this page; what could not be loaded is tried again with the next link. */
  async function startSession(): Promise<Session> {
    try {
      const part = await chunks.session();
      session = await part.startSession({
        toolbox,
        limits,
        connection,
        loadDialog: chunks.dialog,
        onCall: calls.tell,
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
    reconnect: connection.retryNow,
    close() {
      if (isClosed) return;
      isClosed = true;
      connection.close();
      session?.close();
      stopWaking();
      toolbox.close();
      setState({ status: "closed", message: "This page offers no tools any more." });
    },
  };
}
