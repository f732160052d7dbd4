// The worker-proxy API over a page whose links go through a worker. It keeps tools and the token until the page exists, and
// counts references; everything else is the page's.
import { connectPage, forgetTab, offerToBrowser } from "../page/index.ts";
import type { PageState } from "../page/index.ts";
import type { NoInput } from "../toolbox/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { ErrorCode, OnError } from "../wire/index.ts";
import { sharePage } from "./share-page.ts";
import type { PageMaker, SharedPage } from "./share-page.ts";
import { answerMessage } from "./stand-ins.ts";
import type { Payload, TabInfo } from "./stand-ins.ts";
import { tellAll } from "./tell-all.ts";
import { toolOf, toolboxWithoutPage } from "./tool-of.ts";
import type { ToolHandler, ToolOptions } from "./tool-of.ts";
import { createToolReferences } from "./tool-references.ts";
import type { ToolDetails, ToolInfo } from "./tool-references.ts";
import { pageOptionsOf, wantsWebMcp } from "./worker-client-options.ts";
import type { InitParameters } from "./worker-client-options.ts";

/** Called with whether the page is connected, and with a message for users; also with each new reason why it is refused. */
export type ConnectionStatusListener = (connected: boolean, state: PageState) => void;

/** Offers this page's tools to agents through one worker for all tabs of its origin. */
export class WorkerClient {
  readonly #maker: PageMaker;
  readonly #tools = createToolReferences(toolboxWithoutPage().registerTool);
  readonly #statusListeners = new Set<ConnectionStatusListener>();
  readonly #whenInitialized: Promise<void>;
  #setInitialized = (): void => {};
  #giveUp: (reason: PagewireError) => void = () => {};
  #starting: Promise<void> | undefined;
  #isClosed = false;
  #shared: SharedPage | undefined;
  #onError: OnError | undefined;
  /** Null while signed out; undefined if never set. */
  #token: string | null | undefined;
  #isConnected = false;
  /** Why the hub refuses the page, since it was connected last. */
  #refusal: string | undefined;
  #tabId: string | undefined;
  #wantsWebMcp: boolean | undefined;
  #stopListening: (() => void) | undefined;

  /** Takes the browser parts of tests; pages give none. */
  constructor(connect = connectPage, offer = offerToBrowser) {
    this.#maker = { connect, offer };
    this.#whenInitialized = new Promise((resolve, reject) => {
      this.#setInitialized = resolve;
      this.#giveUp = reject;
    });
    // The rejection reaches those that await it; it must not be reported as unhandled.
    this.#whenInitialized.catch(() => {});
  }

  /** Whether `init` is done. */
  get initialized(): boolean {
    return this.#shared !== undefined;
  }

  /**
   * Connects the page, in the background and for as long as it lives: with these options, or through the ServiceWorker of
   * this registration. A page has one connection: calls after the first are that one, and clients of the same hub share it.
   */
  init(...parameters: InitParameters): Promise<void> {
    this.#starting ??= this.#start(parameters).catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  /** Resolves when `init` is done, also if it is called later. */
  waitForInit(): Promise<void> {
    return this.#whenInitialized;
  }

  /** Registers a tool, before or after `init`. A name that is registered again is replaced, and counted. */
  // oxlint-disable-next-line max-params -- The seed's own signature.
  async registerTool<const Input extends object = NoInput, const Output extends object = object>(
    name: string,
    description: string | undefined,
    inputSchema: Input | undefined,
    handler: ToolHandler<Input, Output>,
    options: ToolOptions<Output> = {},
  ): Promise<void> {
    if (this.#isClosed) throw closedError();
    this.#tools.add(toolOf({ name, description, inputSchema }, handler, options));
  }

  /** Removes one registration of a tool; the last one removes the tool. False if there was none. */
  async unregisterTool(name: string): Promise<boolean> {
    return this.#tools.remove(name);
  }

  /** Calls back at once and whenever a tool's info changes; with null while it is not registered. Returns a function that stops it. */
  onToolChange(name: string, listener: (info: ToolInfo | null) => void): () => void {
    return this.#tools.onChange(name, listener);
  }

  getToolInfo(name: string): ToolInfo | null {
    return this.#tools.info(name);
  }

  /** A tool's info and its reference count. */
  getToolDetails(name: string): ToolDetails | null {
    return this.#tools.details(name);
  }

  getRegisteredTools(): string[] {
    return this.#tools.names();
  }

  isToolRegistered(name: string): boolean {
    return this.#tools.info(name) !== null;
  }

  /**
   * Sets the signed-in user, before or after `init`. Another person's token moves the tools to that person at once;
   * null, or "", signs out and takes them away.
   */
  setAuthToken(token: string | null): void {
    this.#token = token || null;
    this.#shared?.page.setToken(this.#token);
  }

  async getConnectionStatus(): Promise<boolean> {
    return this.#isConnected;
  }

  onConnectionStatus(listener: ConnectionStatusListener): void {
    this.#statusListeners.add(listener);
  }

  offConnectionStatus(listener: ConnectionStatusListener): void {
    this.#statusListeners.delete(listener);
  }

  /** The id by which agents aim at this tab; undefined until the hub has welcomed it. */
  getTabId(): string | undefined {
    return this.#tabId;
  }

  getTabInfo(): TabInfo {
    return { tabId: this.#tabId, url: location.href, title: document.title, isActive: document.hasFocus() };
  }

  /** Gives this tab another id from its next document on. */
  static clearTabId(): void {
    forgetTab();
  }

  /** Whether the browser has an agent of its own that takes tools. */
  static isWebMcpSupported(): boolean {
    try {
      return Boolean((document as { readonly modelContext?: unknown }).modelContext);
    } catch {
      return false;
    }
  }

  /** Whether the browser's own agent is offered the tools. */
  isWebMcpAvailable(): boolean {
    return this.#wantsWebMcp !== false && WorkerClient.isWebMcpSupported();
  }

  /**
   * Offers this client's tools to the browser's own agent, or takes them back; as the option `enableWebMcp`, at any time.
   */
  setWebMcpEnabled(isEnabled: boolean): void {
    this.#wantsWebMcp = isEnabled;
    this.#shared?.offerToBrowser(isEnabled);
  }

  isToolRegisteredViaWebMcp(name: string): boolean {
    return this.getWebMcpRegisteredTools().includes(name);
  }

  /** The tools that the browser has taken. */
  getWebMcpRegisteredTools(): string[] {
    return (this.#shared?.browserNames() ?? []).filter((name) => this.isToolRegistered(name));
  }

  /** Answers a message for the worker by the method that does the same here, or rejects with what to use. */
  request<Answer = unknown>(type: string, payload: Payload = {}, _timeoutMs?: number): Promise<Answer> {
    return answerMessage(this, type, payload) as Promise<Answer>;
  }

  /** The same, without an answer. */
  async post(type: string, payload: Payload = {}): Promise<void> {
    await answerMessage(this, type, payload);
  }

  /** Removes the tools and leaves the hub for good. Can be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#tools.clear();
    this.#giveUp(closedError());
    this.#stopListening?.();
    this.#shared?.leave();
    this.#shared = undefined;
  }

  async #start(parameters: InitParameters): Promise<void> {
    if (this.#isClosed) throw closedError();
    const token = this.#token;
    const options = pageOptionsOf(...parameters);
    const shared = await sharePage(this.#maker, { ...options, ...(token === undefined ? {} : { token }) });
    try {
      if (this.#isClosed) throw closedError();
      this.#tools.moveTo(shared.registerTool);
    } catch (error) {
      shared.leave();
      throw error;
    }
    const { page } = shared;
    this.#shared = shared;
    this.#onError = options.onError;
    if (this.#token !== undefined && this.#token !== token) page.setToken(this.#token);
    this.#stopListening = page.onState((state) => this.#report(state));
    this.#wantsWebMcp ??= wantsWebMcp(...parameters);
    shared.offerToBrowser(this.#wantsWebMcp);
    this.#setInitialized();
    this.#report(page.state);
  }

  #report(state: PageState): void {
    const isConnected = state.status === "connected";
    if (isConnected) this.#tabId = state.tabId;
    const hasChanged = isConnected !== this.#isConnected;
    this.#isConnected = isConnected;
    const reason = state.status === "refused" ? `${state.code} ${state.message}` : undefined;
    const isNews = reason !== undefined && reason !== this.#refusal;
    this.#refusal = isConnected ? undefined : (reason ?? this.#refusal);
    if (hasChanged || isNews) tellAll(this.#statusListeners, isConnected, state);
    if (state.status !== "refused" || !isNews) return;
    const refused = new PagewireError(state.code as ErrorCode, state.message);
    if (this.#onError) tellAll([this.#onError], refused, { stage: "hub" });
  }
}

function closedError(): PagewireError {
  return new PagewireError("cancelled", "This client was closed. Make another one with: new WorkerClient()");
}

/** The client of this page. */
export const workerClient: WorkerClient = new WorkerClient();
