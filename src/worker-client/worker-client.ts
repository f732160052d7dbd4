// The worker-proxy API over a page whose links go through a worker. It keeps tools and the token until the page exists, and
// counts references; everything else is the page's.
import { connectPage } from "../page/index.ts";
import type { Page, PageState } from "../page/index.ts";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { LocalToolbox, NoInput, SchemaTool, ToolDefinition } from "../toolbox/index.ts";
import { PagewireError, builtInToolNames, isJsonObject } from "../wire/index.ts";
import { tellAll } from "./tell-all.ts";
import { createToolReferences } from "./tool-references.ts";
import type { ToolDetails, ToolInfo } from "./tool-references.ts";
import { pageOptionsOf } from "./worker-client-options.ts";
import type { InitParameters } from "./worker-client-options.ts";

/** Runs in the page's main thread; returns an MCP result, or any other value that a tool may return. */
export type ToolHandler<Input extends object = object, Output extends object = object> = SchemaTool<
  Input,
  Output
>["execute"];

/** A tool's metadata besides name, description and input. */
export type ToolOptions<Output extends object = object> = Pick<
  SchemaTool<object, Output>,
  "title" | "outputSchema" | "annotations" | "icons" | "_meta"
>;

/** Called with whether the page is connected, and a message for users. */
export type ConnectionStatusListener = (connected: boolean, state: PageState) => void;

/** This tab, as agents know it. */
export interface TabInfo {
  /** Undefined until the hub has welcomed the page. */
  readonly tabId: string | undefined;
  readonly url: string;
  readonly title: string;
}

/** Offers this page's tools to agents through one worker for all tabs of its origin. */
export class WorkerClient {
  readonly #connect: typeof connectPage;
  readonly #tools = createToolReferences(earlyToolbox().registerTool);
  readonly #statusListeners = new Set<ConnectionStatusListener>();
  readonly #whenInitialized: Promise<void>;
  #setInitialized = (): void => {};
  #giveUp: (reason: PagewireError) => void = () => {};
  #starting: Promise<void> | undefined;
  #isClosed = false;
  #page: Page | undefined;
  /** Null while signed out; undefined if never set. */
  #token: string | null | undefined;
  #isConnected = false;
  #tabId: string | undefined;

  /** `connect` is for tests; pages need none. */
  constructor(connect = connectPage) {
    this.#connect = connect;
    this.#whenInitialized = new Promise((resolve, reject) => {
      this.#setInitialized = resolve;
      this.#giveUp = reject;
    });
    // The rejection reaches those that await it; it must not be reported as unhandled.
    this.#whenInitialized.catch(() => {});
  }

  /** Whether `init` is done. */
  get initialized(): boolean {
    return this.#page !== undefined && !this.#isClosed;
  }

  /**
   * Connects the page, in the background and for as long as it lives: with these options, or through the ServiceWorker of
   * this registration. A page has one connection: calls after the first are that one.
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
    const { title, outputSchema, annotations, icons, _meta } = options;
    const given = { description, inputSchema, title, outputSchema, annotations, icons, _meta };
    const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const execute = outputSchema ? structuredFromText(handler as Execute) : (handler as Execute);
    this.#tools.add({ ...said, name, execute });
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
    this.#page?.setToken(this.#token);
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
    return { tabId: this.#tabId, url: location.href, title: document.title };
  }

  /** Removes the tools and leaves the hub for good. Can be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#tools.clear();
    this.#giveUp(closedError());
    this.#page?.close();
  }

  async #start(parameters: InitParameters): Promise<void> {
    if (this.#isClosed) throw closedError();
    const token = this.#token;
    const page = await this.#connect({ ...pageOptionsOf(...parameters), ...(token === undefined ? {} : { token }) });
    if (this.#isClosed) {
      page.close();
      throw closedError();
    }
    this.#page = page;
    this.#tools.moveTo(page.registerTool);
    if (this.#token !== undefined && this.#token !== token) page.setToken(this.#token);
    page.onState((state) => this.#report(state));
    this.#report(page.state);
    this.#setInitialized();
  }

  #report(state: PageState): void {
    const isConnected = state.status === "connected";
    if (isConnected) this.#tabId = state.tabId;
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    tellAll(this.#statusListeners, isConnected, state);
  }
}

function closedError(): PagewireError {
  return new PagewireError("cancelled", "This client was closed. Make another one with: new WorkerClient()");
}

/** Validates tools before there is a page. */
function earlyToolbox(): LocalToolbox {
  return createToolbox({ loadValidator: loadJsonSchemaValidator, loadCalls, reserved: builtInToolNames });
}

/** The client of this page. */
export const workerClient: WorkerClient = new WorkerClient();

type Execute = ToolDefinition["execute"];

/**
 * A handler of the worker-proxy's kind, which answers with JSON as text where its tool has an output schema: the text is
 * the structured content, too.
 */
function structuredFromText(handler: Execute): Execute {
  return async (input, context) => {
    const answer: unknown = await handler(input, context);
    if (!isJsonObject(answer) || answer.isError === true || "structuredContent" in answer) return answer;
    const text = soleText(answer.content);
    const structuredContent = text === undefined ? undefined : parse(text);
    return structuredContent === undefined ? answer : { ...answer, structuredContent };
  };
}

function soleText(content: unknown): string | undefined {
  if (!Array.isArray(content) || content.length !== 1 || !isJsonObject(content[0])) return undefined;
  const { type, text } = content[0];
  return type === "text" && typeof text === "string" ? text : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Plain text: validation will report that it does not match the schema.
    return undefined;
  }
}
