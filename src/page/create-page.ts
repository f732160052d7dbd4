import { createListeners, createToolbox, pageToolboxes } from "../toolbox/index.ts";
import { builtInToolNames } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { PageParts } from "./chunks.ts";
import { joinHub } from "./join-hub.ts";
import type { Page, PageCallEvent, PageState } from "./api/page.ts";
import { checkOptions } from "./api/page-options.ts";
import type { PageOptions } from "./api/page-options.ts";

/** A page that accepts tools at once, and looks for its hub in the background. */
export function createPage(given: PageOptions, parts: PageParts): Page {
  const { environment, chunks } = parts;
  const options = checkOptions(given);
  const { hub, tools = [], native, browserTools = true, limits, onError } = options;
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

  const serving = { toolbox, limits, loadDialog: chunks.dialog, followers };
  const closing = new AbortController();
  const { signal } = closing;
  let state: PageState;

  function setState(next: PageState): void {
    state = next;
    states.tell();
  }

  const joined = joinHub(options, {
    ...parts,
    ...serving,
    signal,
    onState: setState,
  });
  pageToolboxes.add(toolbox);
  const { registerTool, registerResource, registerResourceTemplate, registerPrompt, resourceUpdated } = toolbox;
  const page: Page = {
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
    // A listener that changes the state again must not make later listeners receive the newest state first.
    onState: (listener) => states.add(() => listener(state)),
    onCall: followers.add,
    ...joined,
    close() {
      if (signal.aborted) return;
      closing.abort();
      pageToolboxes.delete(toolbox);
      toolbox.close();
      setState({ status: "closed", message: "This page offers no tools any more." });
    },
  };
  if (native || browserTools) {
    const load = async () =>
      (await chunks.modelContext()).serveModelContext({ ...serving, native, browserTools, onError, signal });
    environment.onModelContext(createServing(page, load, onError), signal);
  }
  return page;
}

/** Loads the code that serves the browser's own agent; after a failure, tries again with the next hub. */
function createServing(page: Page, load: () => Promise<unknown>, onError: OnError): () => Promise<void> {
  /** Reports the failure to load, once; undefined while loading and after success. */
  let reportUnserved: (() => void) | undefined;

  async function serve(): Promise<void> {
    reportUnserved = undefined;
    try {
      await load();
    } catch (error) {
      reportUnserved = () => {
        // A hub that refuses this page, or is about to, also refuses to serve this code, and sends its reason.
        if (!/^(connected|reconnecting|signed-out)$/.test(page.state.status)) return;
        reportUnserved = () => {};
        onError(error, { stage: "model context" });
      };
      reportUnserved();
    }
  }

  page.onState(({ status }) => {
    if (reportUnserved && status === "connected") void serve();
    reportUnserved?.();
  });
  return serve;
}

/** Errors of listeners are reported as uncaught. */
function report(error: unknown): void {
  reportError(error);
}
