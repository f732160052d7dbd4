// A page in a fake browser, with its loadable parts available at once.
import { vi } from "vitest";
import { loadJsonSchemaValidator, makeCalls } from "../../toolbox/index.ts";
import type { AskMethod, JsonObject, TraceContext } from "../../wire/index.ts";
import type { Chunks } from "../chunks.ts";
import type { Refusal } from "../connection/connection.ts";
import { createPage } from "../create-page.ts";
import { createSession } from "../connection/create-session.ts";
import type { SessionOptions } from "../connection/create-session.ts";
import { createFakeBrowser } from "./fake-browser.test-helper.ts";
import type { FakeBrowser, FakeDocument, HeardFrame, HubEnd } from "./fake-browser.test-helper.ts";
import type { Page, PageCallEvent, PageState } from "../api/page.ts";
import type { PageOptions } from "../api/page-options.ts";
import { serveBrowser } from "../browser-agent/serve-browser.ts";

/** A question that was asked in the page's own dialog; the test answers it. */
export interface DialogQuestion {
  readonly parameters: JsonObject;
  readonly signal: AbortSignal;
  answer(answer: JsonObject): void;
}

export interface PageUnderTest {
  readonly page: Page;
  readonly browser: FakeBrowser;
  readonly document: FakeDocument;
  readonly states: readonly PageState[];
  readonly events: readonly PageCallEvent[];
  /** Errors that went to `onError`, with their stage. */
  readonly errors: readonly { readonly error: unknown; readonly stage: string }[];
  readonly dialog: readonly DialogQuestion[];
  /** The names of the parts that were loaded. */
  readonly loaded: readonly string[];
}

export interface PageSetting {
  readonly browser?: FakeBrowser;
  readonly storage?: Map<string, string>;
  readonly chunks?: Partial<Chunks>;
  /** The reason why a hub is unreachable. */
  readonly whyUnreachable?: () => Promise<Refusal | undefined>;
}

/** Opens a page; it has not had time for anything yet. */
export function openPage(options: Partial<PageOptions> = {}, setting: PageSetting = {}): PageUnderTest {
  const { browser = createFakeBrowser(), storage, whyUnreachable = async () => undefined } = setting;
  const document = browser.open(storage);
  const loaded: string[] = [];
  const dialog: DialogQuestion[] = [];
  const states: PageState[] = [];
  const events: PageCallEvent[] = [];
  const errors: { error: unknown; stage: string }[] = [];
  const load = <Part>(name: string, part: Part) => {
    loaded.push(name);
    return Promise.resolve(part);
  };
  const askUser = (parameters: JsonObject, signal: AbortSignal) =>
    new Promise<JsonObject>((answer) => dialog.push({ parameters, signal, answer }));
  const startSession = (given: SessionOptions) => createSession(given, document.tabEnvironment);
  const workerLinks = { via: { kind: "shared-worker" as const }, openLink: document.environment.openLink, leave() {} };
  const chunks: Chunks = {
    session: () => load("session", { startSession, makeCalls }),
    validator: () => load("validator", loadJsonSchemaValidator()),
    dialog: () => load("dialog", { askUser, approve: async () => ({ approved: false, scope: "once" }) }),
    worker: () => load("worker", { startWorkerLinks: () => workerLinks }),
    unreachable: () => load("unreachable", { whyUnreachable }),
    modelContext: () =>
      load("modelContext", { serveModelContext: (given) => serveBrowser(given, document.tabEnvironment) }),
    ...setting.chunks,
  };
  const page = createPage(
    { app: "shop", onError: (error, { stage }) => errors.push({ error, stage }), ...options },
    { environment: document.environment, chunks },
  );
  page.onState((state) => states.push(state));
  page.onCall((event) => events.push(event));
  return { page, browser, document, states, events, errors, dialog, loaded };
}

/** Opens a page and welcomes it. */
export async function connectedPage(
  options?: Partial<PageOptions>,
  setting?: PageSetting,
): Promise<PageUnderTest & { readonly hub: HubEnd }> {
  const opened = openPage(options, setting);
  await opened.browser.clock.advance(0);
  return { ...opened, hub: await opened.browser.hub.welcome() };
}

interface CallOptions {
  readonly id?: string;
  readonly name?: string;
  readonly key?: string;
  readonly left?: number;
  readonly at?: number;
  readonly epoch?: string;
  readonly asks?: readonly AskMethod[];
  readonly rounds?: boolean;
  readonly approve?: true;
  readonly resume?: boolean;
  readonly input?: JsonObject;
  readonly trace?: TraceContext;
  /** The caller's answers; the call is then sent again. */
  readonly answered?: JsonObject;
  readonly method?: "tools/call" | "resources/read" | "prompts/get" | "completion/complete";
}

/** A call as a hub sends it; the default tool is `work`. */
export function callFrame(browser: FakeBrowser, options: CallOptions = {}) {
  const { input: _input, answered, at = browser.clock.now(), ...fields } = options;
  const agent = { name: "tester", version: "1.0" };
  return {
    type: "call",
    id: "c1",
    method: "tools/call",
    name: "work",
    left: 60_000,
    at,
    agent,
    input: answered && true,
    ...fields,
  } as const;
}

/** Sends a call, and waits until the handler has done its synchronous work. */
export async function call(
  { browser }: PageUnderTest,
  hub: HubEnd,
  { input = {}, ...options }: CallOptions = {},
): Promise<void> {
  const { answered } = options;
  const payload = answered ? { arguments: input, ...answered } : input;
  await hub.say(callFrame(browser, options), JSON.stringify(payload));
  // Rarely used parts are loaded by the first handler that needs them.
  await vi.dynamicImportSettled();
  await browser.clock.advance(0);
}

/** How a call ended, as reported to the hub. */
export function endings(hub: HubEnd, id = "c1"): readonly string[] {
  const ended = (frame: HeardFrame<"result" | "failure">) => (frame.type === "result" ? frame.payload : frame.outcome);
  const all: readonly HeardFrame<"result" | "failure">[] = [...hub.heard("result"), ...hub.heard("failure")];
  return all.filter((frame) => frame.id === id).map(ended);
}

/** A promise, and how to settle it from outside. */
export function deferred<Value>(): { readonly promise: Promise<Value>; resolve(value: Value): void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((given) => (resolve = given));
  return { promise, resolve };
}
