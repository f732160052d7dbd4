import { createToolbox } from "../toolbox/index.ts";
import type { LocalToolbox, ToolDefinition } from "../toolbox/index.ts";
import { PagewireError, builtInToolNames, resolveLimits } from "../wire/index.ts";
import type { AskMethod, FrameToPage, JsonObject, Limits, OnError } from "../wire/index.ts";
import type { CallRunner } from "./call-runner.ts";
import type { Chunks } from "./chunks.ts";
import { connectToHub } from "./connection.ts";
import type { PageEnvironment } from "./environment.ts";
import { createListeners } from "./listeners.ts";
import type { Page, PageCallEvent, PageState } from "./page.ts";
import { claimTab } from "./tab-identity.ts";

export interface PageOptions {
  /** What this app calls itself, the same in all its tabs. */
  readonly app: string;
  /** The hub's address; by default this computer's. */
  readonly hub?: string;
  /** A token that the app's own server signed, or how to get a fresh one; needed where the hub asks for it. */
  readonly token?: string | (() => string | Promise<string>);
  readonly tools?: readonly ToolDefinition[];
  readonly limits?: Partial<Limits>;
  /** Hears of failures in the background; they go to the console by default. */
  readonly onError?: OnError;
}

/** What a page needs beside its options: the powers of the browser, and the code that is loaded only when needed. */
export interface PageParts {
  readonly environment: PageEnvironment;
  readonly chunks: Chunks;
}

/** The address that `pagewire` listens on when nothing else is said. */
export const defaultHub = "http://127.0.0.1:7337";

/** A page that is alive at once; `ready` resolves when it knows which tab it is. */
export function createPage(options: PageOptions, parts: PageParts): Page & { readonly ready: Promise<void> } {
  const { app, hub, limits, onError } = checked(options);
  const { environment, chunks } = parts;
  const { events, date, clock } = environment;
  const states = createListeners<PageState>();
  const calls = createListeners<PageCallEvent>();
  const toolbox: LocalToolbox = createToolbox({
    loadValidator: chunks.validator,
    loadCalls: async () => (await chunks.calls()).makeCalls,
    reserved: builtInToolNames,
    limits,
    onError,
  });
  for (const tool of options.tools ?? []) toolbox.registerTool(tool);
  const stops: (() => void)[] = [];
  let state: PageState = { status: "connecting", message: "Finding out which tab this is." };
  let closed = false;

  let runner: CallRunner | undefined;
  let connection: ReturnType<typeof connectToHub> | undefined;

  const setState = (next: PageState) => {
    state = next;
    states.tell(next);
  };

  async function askInPage(method: AskMethod, parameters: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (method === "elicitation/create") return (await chunks.dialog()).askUser(parameters, signal);
    throw new PagewireError("ask-unsupported", "The calling agent has no model to ask.");
  }

  /** What runs calls is loaded when a hub is there; before it is, nothing is offered. */
  async function startRunner(): Promise<CallRunner> {
    const { createCallRunner } = await chunks.calls();
    return createCallRunner({
      toolbox,
      storage: environment.storage,
      clock,
      date,
      limits,
      send: (frame, payload) => connection?.send(frame, payload),
      askInPage,
      onCall: calls.tell,
    });
  }

  async function open(): Promise<void> {
    const tab = await claimTab(environment);
    if (closed) return tab.release();
    connection = connectToHub({
      environment,
      limits,
      hub,
      onError,
      onState: setState,
      async hello() {
        const token = typeof options.token === "function" ? await options.token() : options.token;
        return {
          tab: tab.id,
          app,
          ...environment.describe(),
          running: runner?.running() ?? [],
          ...(token ? { token } : {}),
        };
      },
      async onWelcome({ at }) {
        runner ??= await startRunner();
        runner.welcomed(at);
        connection?.send({ type: "offer" }, JSON.stringify(toolbox.offer()));
      },
      onFrame: take,
    });
    stops.push(
      tab.release,
      toolbox.subscribe((change) => connection?.send({ type: "offer-change" }, JSON.stringify(change))),
      events.onChange(tellChange()),
      events.onAway((how) => {
        runner?.save();
        if (how === "gone") return connection?.send({ type: "bye" });
        connection?.send({ type: "suspended", reason: how });
        if (how === "back-forward-cache") tab.release();
        setState({ status: "suspended", message: "The browser has suspended this page." });
      }),
      events.onBack(() => {
        void tab.resume();
        connection?.send({ type: "resumed" });
        connection?.retryNow();
      }),
    );
  }

  function take(frame: FrameToPage, payload: string): void {
    if (frame.type === "call") runner?.call(frame, payload);
    else if (frame.type === "cancel") runner?.cancel(frame.id, frame.reason ?? "The call was cancelled.");
    else if (frame.type === "answer") runner?.answer(frame, payload);
  }

  function tellChange(): () => void {
    let last = JSON.stringify(environment.describe());
    return () => {
      const now = environment.describe();
      if (now.focused && state.status !== "connected") connection?.retryNow();
      if (JSON.stringify(now) === last) return;
      last = JSON.stringify(now);
      connection?.send({ type: "tab", ...now });
    };
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
    reconnect: () => connection?.retryNow(),
    close() {
      if (closed) return;
      closed = true;
      connection?.close();
      for (const stop of stops) stop();
      toolbox.close();
      setState({ status: "closed", message: "This page offers no tools any more." });
    },
    ready: open(),
  };
}

function checked({ app, hub = defaultHub, limits, onError }: PageOptions): {
  readonly app: string;
  readonly hub: string;
  readonly limits: Limits;
  readonly onError: OnError;
} {
  if (typeof app !== "string" || app.trim() === "" || app.length > 128) {
    throw new PagewireError(
      "options-invalid",
      'The option "app" must be a name of 1 to 128 characters, such as "shop".',
    );
  }
  if (!/^https?:\/\/[^/?#]+\/?$/.test(hub)) {
    throw new PagewireError(
      "options-invalid",
      `The option "hub" must be an address such as ${defaultHub}, not "${hub}".`,
    );
  }
  const report: OnError = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);
  return { app, hub: hub.replace(/\/$/, ""), limits: resolveLimits(limits), onError: onError ?? report };
}
