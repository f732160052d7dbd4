import { createToolbox } from "../toolbox/index.ts";
import { builtInToolNames } from "../wire/index.ts";
import type { CallRunner } from "./call-runner.ts";
import type { Chunks } from "./chunks.ts";
import { connectToHub } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { PageEnvironment } from "./environment.ts";
import { createListeners } from "./listeners.ts";
import type { Page, PageCallEvent, PageState } from "./page.ts";
import { checkOptions } from "./page-options.ts";
import type { PageOptions } from "./page-options.ts";
import { identifyTab } from "./tab-identity.ts";

/** What a page needs beside its options: the powers of the browser, and the code that is loaded only when needed. */
export interface PageParts {
  readonly environment: PageEnvironment;
  readonly chunks: Chunks;
}

/** A page that is alive at once; `ready` resolves when it knows which tab it is. */
export function createPage(options: PageOptions, parts: PageParts): Page & { readonly ready: Promise<void> } {
  const { app, hub, token, tools = [], limits, onError } = checkOptions(options);
  const { environment, chunks } = parts;
  const states = createListeners<PageState>();
  const calls = createListeners<PageCallEvent>();
  const toolbox = createToolbox({
    loadValidator: chunks.validator,
    loadCalls: async () => (await chunks.calls()).makeCalls,
    reserved: builtInToolNames,
    limits,
    ...(onError && { onError }),
  });
  for (const tool of tools) toolbox.registerTool(tool);

  const stops: (() => void)[] = [];
  let state: PageState = { status: "connecting", message: "Finding out which tab this is." };
  /** How the page stands with its hub, also while it is suspended. */
  let hubState: PageState = state;
  let isSuspended = false;
  let isClosed = false;
  let connection: Connection | undefined;
  let runner: CallRunner | undefined;
  /** The tab as the hub knows it, as JSON. */
  let told = "";

  function setState(next: PageState): void {
    state = next;
    states.tell(next);
  }

  async function open(): Promise<void> {
    const tab = await identifyTab(environment);
    if (isClosed) return tab.release();

    connection = connectToHub({
      environment,
      limits,
      hub,
      async hello() {
        // A page without a hub never needs what runs calls, so it is loaded when there is one.
        runner ??= await loadRunner();
        const given = typeof token === "function" ? await token() : token;
        const description = environment.describe();
        told = JSON.stringify(description);
        return { tab: tab.id, app, ...description, running: runner.running(), token: given };
      },
      whyNoHello: () => (runner ? "token-required" : "part-missing"),
      onWelcome(welcome) {
        runner?.welcomed(welcome);
        connection?.send({ type: "offer" }, JSON.stringify(toolbox.offer()));
        tellChanges();
      },
      onFrame: (frame, payload) => runner?.take(frame, payload),
      onState(next) {
        hubState = next;
        if (!isSuspended) setState(next);
      },
      whyUnreachable: async () => (await chunks.unreachable()).whyUnreachable(hub),
    });

    stops.push(
      tab.release,
      toolbox.subscribe((change) => connection?.send({ type: "offer-change" }, JSON.stringify(change))),
      environment.watch({
        changed: tellChanges,
        suspended(reason) {
          // A page that goes into the back/forward cache is frozen there too.
          if (isSuspended) return;
          isSuspended = true;
          runner?.save();
          connection?.send({ type: "suspended", reason });
          if (reason === "back-forward-cache") tab.release();
          setState({ status: "suspended", message: "The browser has suspended this page." });
        },
        resumed() {
          if (!isSuspended) return;
          isSuspended = false;
          tab.resume();
          connection?.send({ type: "resumed" });
          connection?.retryNow();
          setState(hubState);
        },
        gone() {
          runner?.save();
          connection?.send({ type: "bye" });
          tab.release();
        },
        woken: retryNow,
      }),
    );
  }

  async function loadRunner(): Promise<CallRunner> {
    const { createCallRunner } = await chunks.calls();
    return createCallRunner({
      toolbox,
      environment,
      limits,
      loadDialog: chunks.dialog,
      send: (frame, payload) => connection?.send(frame, payload),
      onCall: calls.tell,
    });
  }

  /** Tells the hub what is different in the tab since it was told last. */
  function tellChanges(): void {
    const tab = environment.describe();
    const now = JSON.stringify(tab);
    if (now !== told && connection?.send({ type: "tab", ...tab })) told = now;
  }

  function retryNow(): void {
    connection?.retryNow();
  }

  const { registerTool, registerResource, registerResourceTemplate, registerPrompt } = toolbox;
  return {
    registerTool,
    registerResource,
    registerResourceTemplate,
    registerPrompt,
    toolbox,
    get state() {
      return state;
    },
    onState: states.add,
    onCall: calls.add,
    reconnect: retryNow,
    close() {
      if (isClosed) return;
      isClosed = true;
      connection?.close();
      runner?.close();
      for (const stop of stops) stop();
      toolbox.close();
      setState({ status: "closed", message: "This page offers no tools any more." });
    },
    ready: open(),
  };
}
