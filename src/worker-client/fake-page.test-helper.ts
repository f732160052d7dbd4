import type { Page, PageState, connectPage, offerToBrowser } from "../page/index.ts";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { CallOutcome } from "../toolbox/index.ts";

type PageOptions = Parameters<typeof connectPage>[0];

/** Pages that connect to nothing, and what they were asked for. */
export interface FakePages {
  readonly connect: typeof connectPage;
  readonly options: PageOptions[];
  /** The tokens that the page was given after it was made. */
  readonly tokens: Parameters<Page["setToken"]>[0][];
  /** While set, no page can be made. */
  problem: Error | undefined;
  isClosed: boolean;
  /** How many listeners its state has. */
  readonly listening: number;
  /** The one page that was made. */
  readonly page: Page;
  setState(state: PageState): void;
  callTool(name: string, input?: object): Promise<CallOutcome>;
}

export function createFakePages(): FakePages {
  const toolbox = createToolbox({ loadValidator: loadJsonSchemaValidator, loadCalls });
  const listeners = new Set<(state: PageState) => void>();
  let state: PageState = { status: "connecting", message: "Connecting." };
  const page = {
    ...toolbox,
    toolbox,
    hub: "http://127.0.0.1:7337",
    get state() {
      return state;
    },
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onCall: () => () => {},
    reconnect() {},
    setToken: (token) => void fake.tokens.push(token),
    close() {
      fake.isClosed = true;
      toolbox.close();
    },
  } satisfies Page;
  const fake: FakePages = {
    async connect(options) {
      if (fake.problem) throw fake.problem;
      fake.options.push(options);
      return page;
    },
    options: [],
    tokens: [],
    problem: undefined,
    isClosed: false,
    get listening() {
      return listeners.size;
    },
    page,
    setState(next) {
      state = next;
      for (const listener of listeners) listener(next);
    },
    callTool: (name, input = {}) =>
      toolbox.callTool(name, input, {
        callId: "c1",
        agent: { name: "tester" },
        signal: new AbortController().signal,
        deadline: Infinity,
        asks: [],
        rounds: false,
        progress() {},
        log() {},
        ask: () => Promise.reject(new Error("Nobody answers.")),
      }),
  };
  return fake;
}

/** A browser with an agent of its own, and what it was offered. */
export interface FakeBrowser {
  readonly offer: typeof offerToBrowser;
  /** Whether each offer still stands. */
  readonly offers: readonly boolean[];
  /** The tools that the browser has taken. */
  taken: readonly string[];
  /** The tools of the last offer, as its listeners saw them at each change. */
  readonly seen: readonly (readonly string[])[];
}

export function createFakeBrowser(): FakeBrowser {
  const signals: AbortSignal[] = [];
  let seen: string[][] = [];
  const fake: FakeBrowser = {
    offer({ toolbox }, { signal }) {
      signals.push(signal);
      const look = () => toolbox.offer().tools.map(({ name }) => name);
      seen = [look()];
      signal.addEventListener(
        "abort",
        toolbox.subscribe(() => void seen.push(look())),
      );
      return { names: () => fake.taken };
    },
    get offers() {
      return signals.map(({ aborted }) => !aborted);
    },
    taken: [],
    get seen() {
      return seen;
    },
  };
  return fake;
}
