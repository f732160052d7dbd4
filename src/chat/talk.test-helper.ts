import { onTestFinished } from "vitest";
import type { AiMessage, AiToolCallState } from "../element/index.ts";
import type { TalkParentState } from "./talk-parent.ts";
import type { AskElsewhere } from "./approvals.ts";
import { createTalk } from "./create-talk.ts";
import { FakeAgent } from "./fake-agent.test-helper.ts";
import { loadMarkdown } from "./markdown/markdown-view.ts";
import type { TalkOptions } from "./talk-options.ts";

export const shop = "https://shop.example";

export const salesTool = {
  name: "get_sales_data",
  title: "Sales in rows",
  description: "Revenue and orders of the last N days.",
  parameters: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] },
  annotations: { readOnlyHint: true },
};

export const connected: Extract<TalkParentState, { kind: "connected" }> = {
  kind: "connected",
  origin: shop,
  tools: [salesTool],
  relay: "open",
};

type Inject = { message: string; autoSend: boolean; origin: string };
type Progress = { toolCallId: string; progress: number; total?: number; message?: string };

function createListeners<Value>() {
  const listeners = new Set<(value: Value) => void>();
  const on = (listener: (value: Value) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const tell = (value: Value) => {
    for (const listener of listeners) listener(value);
  };
  return { on, tell };
}

function createClock() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    after(milliseconds: number, run: () => void) {
      const timer = { at: now + milliseconds, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass(milliseconds: number) {
      const end = now + milliseconds;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at);
        if (!next) break;
        timers.delete(next);
        now = next.at;
        next.run();
      }
      now = end;
    },
  };
}

export interface StartOptions {
  readonly messages?: AiMessage[];
  readonly state?: TalkParentState;
  readonly askElsewhere?: AskElsewhere;
  readonly session?: TalkOptions["session"];
  readonly tabs?: TalkOptions["tabs"];
  readonly models?: TalkOptions["models"];
}

const info = {
  version: "1",
  mode: "local",
  principal: "local",
  parentOrigins: [shop],
  demo: null,
  terminals: false,
} as const;
const session = { info: { ...info, model: { provider: "rehearsal", models: ["rehearsal"], isRehearsal: true } } };

/** A talk on the page, with an agent, a parent and a clock that the test controls. */
export async function start(options: StartOptions = {}) {
  const agent = new FakeAgent({ messages: options.messages ?? [] });
  const clock = createClock();
  const states = createListeners<TalkParentState>();
  const injects = createListeners<Inject>();
  const progresses = createListeners<Progress>();
  let state = options.state ?? { kind: "none" };
  const parent = {
    get state() {
      return state;
    },
    onState: states.on,
    onInject: injects.on,
    onProgress: progresses.on,
  };
  const announced: string[] = [];
  const talk = createTalk({
    agent,
    parent,
    session: options.session ?? session,
    tabs: options.tabs,
    models: options.models,
    announce: (text, isUrgent) => announced.push(isUrgent ? `! ${text}` : text),
    clock,
    storage: sessionStorage,
    askElsewhere: options.askElsewhere,
  });
  await Promise.all([showStyles(), loadMarkdown()]);
  const place = document.createElement("div");
  place.style.height = "600px";
  place.append(talk.element);
  document.body.append(place);
  onTestFinished(() => {
    talk.close();
    place.remove();
    sessionStorage.clear();
  });
  const setState = (next: TalkParentState) => {
    state = next;
    states.tell(next);
  };
  const { element } = talk;
  const fake = { agent, parent: { setState, inject: injects.tell, progress: progresses.tell }, clock, announced };
  return { ...fake, talk, element, field: find(element, "textarea[aria-label=Message]", HTMLTextAreaElement) };
}

export function find<Kind extends Element>(root: ParentNode, selector: string, kind: new () => Kind): Kind {
  const found = root.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`There is no ${kind.name} "${selector}".`);
  return found;
}

/** The button with this accessible name, which must be there to be seen. */
export function button(root: ParentNode, name: string): HTMLButtonElement {
  const found = [...root.querySelectorAll("button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent) === name && one.checkVisibility(),
  );
  if (!found) throw new Error(`There is no button "${name}".`);
  return found;
}

export function hasButton(root: ParentNode, name: string): boolean {
  return [...root.querySelectorAll("button")].some(
    (one) =>
      (one.getAttribute("aria-label") ?? one.textContent) === name &&
      one.checkVisibility({ visibilityProperty: true, opacityProperty: false }),
  );
}

/** The turns as they are named and read. */
export function turns(root: ParentNode): string[] {
  return [...root.querySelectorAll(".turn")].map((turn) => {
    const said = turn.querySelector(".said, .markdown, .call-status")?.textContent;
    return `${turn.getAttribute("aria-label")}: ${said}`;
  });
}

/** Resolves when all effects are shown. */
export function shown(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

export function waitingCall(more: Partial<AiToolCallState> = {}): AiToolCallState {
  return {
    id: "call-1",
    name: "parent-window_pay",
    arguments: '{"amount":7}',
    status: "waiting",
    approval: {
      tool: "parent-window_pay",
      title: "Pay",
      origin: shop,
      arguments: { amount: 7, to: "ada\u202E" },
      agent: { name: "m" },
      reason: "The tool asks for approval before it runs.",
    },
    ...more,
  };
}

async function showStyles(): Promise<void> {
  if (document.querySelector("link[data-talk]")) return;
  const common = ["tokens", "base", "controls"].map((file) => `../../apps/common/styles/${file}.css`);
  const own = ["markdown", "talk", "talk-calls", "talk-composer"].map((file) => `./styles/${file}.css`);
  await Promise.all(
    [...common, ...own].map((file) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.dataset["talk"] = file;
      link.href = new URL(file, import.meta.url).href;
      document.head.append(link);
      return new Promise((resolve) => (link.onload = resolve));
    }),
  );
}
