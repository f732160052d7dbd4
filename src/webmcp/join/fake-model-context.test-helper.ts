import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../../toolbox/index.ts";
import type { CallOutcome, LocalToolbox } from "../../toolbox/index.ts";
import type { Offer } from "../../wire/index.ts";
import type { ModelContextAnnotations, RegisteredTool } from "../model-context.ts";
import type { JoinedToolsOptions } from "./joined-tools.ts";
import { keepJoined } from "./keep-joined.ts";
import { callEnvironment } from "./call-environment.test-helper.ts";

export interface FakeTool {
  readonly name: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly annotations?: ModelContextAnnotations;
  readonly window?: Window;
  readonly origin?: string;
  readonly execute?: (input: object, signal: AbortSignal) => unknown;
}

/** A window of the page's origin, or an inaccessible one of another origin. */
export function fakeWindow({ parent, path }: { readonly parent?: Window; readonly path?: string } = {}): Window {
  const window = {
    get location() {
      if (path === undefined) throw new DOMException("Blocked a frame", "SecurityError");
      return { pathname: path };
    },
  };
  return Object.defineProperty(window, "parent", { value: parent ?? window }) as unknown as Window;
}

/** A fake `document.modelContext`, with the test's tools. */
export class FakeModelContext extends EventTarget {
  tools: FakeTool[] = [];
  readonly asked: unknown[] = [];
  /** A promise that delays reads, or makes them fail. */
  gate: Promise<unknown> = Promise.resolve();
  readonly #own: Window;

  constructor(own: Window) {
    super();
    this.#own = own;
  }

  /** Replaces the tools, and dispatches the event as the browser does. */
  change(...tools: readonly FakeTool[]): void {
    this.tools = [...tools];
    this.dispatchEvent(new Event("toolchange"));
  }

  async getTools(...options: readonly unknown[]): Promise<object[]> {
    this.asked.push(options[0]);
    await this.gate;
    return this.tools.map((tool) => ({ description: "d", window: this.#own, origin: "https://shop.example", ...tool }));
  }

  async executeTool(tool: RegisteredTool, input: object, { signal }: { signal: AbortSignal }): Promise<unknown> {
    const found = this.tools.find(({ name, window = this.#own }) => name === tool.name && window === tool.window);
    if (!found) throw new DOMException("The operation failed for an unknown transient reason", "UnknownError");
    return found.execute?.(input, signal) ?? null;
  }
}

export interface FakeJoin {
  readonly own: Window;
  readonly context: FakeModelContext;
  /** The current `document.modelContext`. */
  at: unknown;
  readonly toolbox: LocalToolbox;
  readonly errors: string[];
  readonly changes: object[];
  /** The arguments of the watcher's last `follow`. */
  readonly followed: () => readonly unknown[];
  look(): void;
  /** Resolves when the browser may be queried: by default at once. */
  mayAsk: () => Promise<void>;
  /** The pending timers with their delays. */
  readonly timers: Map<() => void, number>;
  stop(): void;
  refresh(): void;
  tools(): Offer["tools"];
  names(): readonly string[];
  call(name: string, input?: object, signal?: AbortSignal): Promise<CallOutcome>;
}

/** A toolbox that a fake browser's tools join, in Node. */
export async function fakeJoin({
  tools = [],
  fromOrigins = [],
  parent,
  isRefused = () => false,
  guard = ({ context }, run) => run(context.signal),
  offers = () => true,
  prepare = () => {},
}: {
  readonly tools?: readonly FakeTool[];
  readonly fromOrigins?: readonly string[];
  /** The parent of the document's own window. */
  readonly parent?: Window;
  /** Whether the browser has refused the page's own tool of this name. */
  readonly isRefused?: (name: string) => boolean;
  readonly guard?: JoinedToolsOptions["guard"];
  readonly offers?: JoinedToolsOptions["offers"];
  readonly prepare?: (join: FakeJoin) => void;
} = {}): Promise<FakeJoin> {
  const own = fakeWindow({ path: "/", ...(parent && { parent }) });
  // Pagewire registers tools of this realm in this window.
  const marks = Symbol.for("pagewire.registered-tools");
  Object.defineProperty(own, marks, { get: () => (globalThis as { [key: symbol]: unknown })[marks] });
  const context = new FakeModelContext(own);
  context.tools = [...tools];
  const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError: () => {} });
  const errors: string[] = [];
  const changes: object[] = [];
  let look = () => {};
  let followed: readonly unknown[] = [];
  const join: FakeJoin = {
    own,
    context,
    at: context,
    toolbox,
    errors,
    changes,
    followed: () => followed,
    look: () => look(),
    mayAsk: () => Promise.resolve(),
    timers: new Map(),
    stop: () => {},
    refresh: () => {},
    tools: () => toolbox.offer().tools,
    names: () => toolbox.offer().tools.map(({ name }) => name),
    call: (name, input = {}, signal = new AbortController().signal) =>
      toolbox.callTool(name, input, callEnvironment(signal)),
  };
  prepare(join);
  toolbox.subscribe((change) => changes.push(change));
  const joining = keepJoined(toolbox, {
    isRefused,
    guard,
    offers,
    fromOrigins,
    offersPerPage: 256,
    onError: (error, { stage }) => errors.push(`${stage}: ${(error as Error).message}`),
    environment: {
      window: own,
      modelContext: () => join.at,
      mayAsk: () => join.mayAsk(),
      after(milliseconds, run) {
        join.timers.set(run, milliseconds);
        return () => void join.timers.delete(run);
      },
      watch(listener) {
        look = listener;
        let listened: unknown;
        return {
          follow(now, frames) {
            if (listened instanceof EventTarget) listened.removeEventListener("toolchange", listener);
            if (now instanceof EventTarget) now.addEventListener("toolchange", listener);
            listened = now;
            followed = [now, ...frames];
          },
          close() {
            followed = [];
          },
        };
      },
    },
  });
  join.stop = joining.close;
  join.refresh = joining.refresh;
  await settled();
  return join;
}

/** Resolves when all pending promises have settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
