// A page without a hub, and a screen that components are rendered on.
import { act, createElement } from "react";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { onTestFinished } from "vitest";
import type { Page, PageCallEvent, PageState } from "../page/index.ts";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { CallEnvironment, ToolDefinition } from "../toolbox/index.ts";
import { builtInToolNames } from "../wire/index.ts";
import type { OfferChange, PageLimits } from "../wire/index.ts";
import { PagewireProvider } from "./pagewire-provider.ts";
import type { Enabled } from "./use-offered.ts";
import { useTool } from "./use-tool.ts";

// React expects tests to set this.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

export interface TestPage extends Page {
  readonly changes: readonly OfferChange[];
  /** How often a tool was registered. */
  readonly registrations: number;
  /** Number of listeners to its state and to its calls. */
  readonly listeners: number;
  become(state: PageState): void;
  happen(event: PageCallEvent): void;
}

export const connected: PageState = {
  status: "connected",
  message: "Connected.",
  tabId: "tab-1",
  via: { kind: "socket" },
};

export function createTestPage(limits: Partial<PageLimits> = {}): TestPage {
  const toolbox = createToolbox({
    loadCalls,
    loadValidator: loadJsonSchemaValidator,
    reserved: builtInToolNames,
    limits,
  });
  const changes: OfferChange[] = [];
  toolbox.subscribe((change) => changes.push(change));
  const states = new Set<(state: PageState) => void>();
  const calls = new Set<(event: PageCallEvent) => void>();
  let state = connected;
  let registrations = 0;
  return {
    ...toolbox,
    toolbox,
    hub: "http://127.0.0.1:7337",
    registerTool(...given) {
      registrations += 1;
      return toolbox.registerTool(...given);
    },
    get state() {
      return state;
    },
    changes,
    get registrations() {
      return registrations;
    },
    get listeners() {
      return states.size + calls.size;
    },
    onState: (listener) => listen(states, listener),
    onCall: (listener) => listen(calls, listener),
    become(next) {
      state = next;
      for (const listener of states) listener(next);
    },
    happen(event) {
      for (const listener of calls) listener(event);
    },
    reconnect() {},
    setToken() {},
    close: toolbox.close,
  };
}

function listen<Event>(listeners: Set<(event: Event) => void>, listener: (event: Event) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function toolNames({ toolbox }: Page): readonly string[] {
  return toolbox.offer().tools.map(({ name }) => name);
}

/** Calls a tool of a page as a hub would; returns the text of its answer, or throws the reason of a refusal. */
export async function callTool({ toolbox }: Page, name: string, input: object = {}): Promise<string> {
  const outcome = await toolbox.callTool(name, input, environment);
  if (outcome.kind !== "result") throw new Error(outcome.kind === "aborted" ? "aborted" : outcome.message);
  return JSON.parse(outcome.payload).content[0].text;
}

export const environment: CallEnvironment = {
  callId: "call-1",
  agent: { name: "tester" },
  signal: new AbortController().signal,
  deadline: Number.MAX_SAFE_INTEGER,
  asks: [],
  rounds: false,
  progress() {},
  log() {},
  ask: () => Promise.reject(new Error("Nobody can be asked.")),
};

export interface Screen {
  readonly container: HTMLElement;
  /** Shows something, and waits until its effects have run. */
  show(content: ReactNode): Promise<void>;
  /** Shows something in this very turn; to be called in an `act`. */
  showNow(content: ReactNode): void;
  /** Shows nothing any more. */
  clear(): Promise<void>;
}

export function createScreen(): Screen {
  const container = document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  const clear = () => act(async () => root.unmount());
  onTestFinished(async () => {
    await clear();
    container.remove();
  });
  return {
    container,
    show: (content) => act(async () => root.render(content)),
    showNow: (content) => flushSync(() => root.render(content)),
    clear,
  };
}

interface ToolProps {
  readonly tool: ToolDefinition & Enabled;
  readonly deps?: readonly unknown[];
  readonly children?: ReactNode;
}

/** A component that offers one tool. */
export function Tool({ tool, deps, children }: ToolProps): ReactNode {
  useTool(tool, deps);
  return children;
}

export const withTool = (tool: ToolDefinition & Enabled, deps?: readonly unknown[]) =>
  createElement(Tool, deps ? { tool, deps } : { tool });

export const saying = (text: string, name = "work") => withTool({ name, execute: () => text });

/** Something below a provider with this page. */
export function below(page: Page | undefined, ...content: ReactNode[]): ReactNode {
  return createElement(PagewireProvider, { page }, ...content);
}
