// The worker-proxy's adapter for the browser's own agent, over what offers a page's tools to it.
import { askInPage, offerToBrowser } from "../page/index.ts";
import type { BrowserOffer } from "../page/index.ts";
import type { Registration } from "../toolbox/index.ts";
import { messageOf } from "../wire/index.ts";
import { logger } from "./stand-ins.ts";
import type { ToolDefinition } from "./stand-ins.ts";
import { toolOf, toolboxWithoutPage } from "./tool-of.ts";
import type { ToolHandler, ToolOptions } from "./tool-of.ts";
import { WorkerClient } from "./worker-client.ts";

export type UserInteractionCallback = () => Promise<unknown>;

/** The agent that calls a tool, as earlier drafts of WebMCP had it. */
export interface ModelContextClient {
  requestUserInteraction(callback: UserInteractionCallback): Promise<unknown>;
}

export type ToolExecuteCallback = (input: object, client: ModelContextClient) => Promise<unknown>;

export interface WebMcpToolAnnotations {
  readOnlyHint?: boolean;
}

export interface ModelContextTool {
  name: string;
  description: string;
  inputSchema?: object;
  execute: ToolExecuteCallback;
  annotations?: WebMcpToolAnnotations;
}

export interface ModelContextOptions {
  tools?: ModelContextTool[];
}

/** `navigator.modelContext` of earlier drafts. Browsers have `document.modelContext` now: see pagewire/webmcp. */
export interface ModelContext {
  provideContext(options?: ModelContextOptions): void;
  clearContext(): void;
  registerTool(tool: ModelContextTool): void;
  unregisterTool(name: string): void;
}

/** Offers tools to the browser's own agent alone. What fails is a warning on the console. */
export class WebMcpAdapter {
  readonly #offerTo: typeof offerToBrowser;
  readonly #toolbox = toolboxWithoutPage();
  readonly #registrations = new Map<string, Registration>();
  #offer: BrowserOffer | undefined;
  #closing = new AbortController();
  #isEnabled = true;

  /** Takes the browser part of tests; pages give none. */
  constructor(offer = offerToBrowser) {
    this.#offerTo = offer;
  }

  /** Whether the browser has an agent of its own that takes tools. */
  static isSupported(): boolean {
    return WorkerClient.isWebMcpSupported();
  }

  isAvailable(): boolean {
    return this.#isEnabled && WebMcpAdapter.isSupported();
  }

  /** Takes the tools back from the browser, or offers them again; they are offered at first. */
  setEnabled(isEnabled: boolean): void {
    this.#isEnabled = isEnabled;
    if (isEnabled) return this.#start();
    this.#closing.abort();
    this.#closing = new AbortController();
    this.#offer = undefined;
  }

  /** Registers a tool, or replaces it. The browser has it a moment later, or once there is a model context. */
  // oxlint-disable-next-line max-params -- The signature of code that exists.
  registerTool<Input extends object = object, Output extends object = object>(
    name: string,
    description: string | undefined,
    inputSchema: Input | undefined,
    handler: ToolHandler<Input, Output>,
    options: ToolOptions<Output> = {},
  ): void {
    try {
      const registration = this.#toolbox.registerTool(toolOf({ name, description, inputSchema }, handler, options));
      this.#registrations.get(name)?.remove();
      this.#registrations.set(name, registration);
    } catch (error) {
      return warn(error);
    }
    this.#start();
  }

  /** False if there was none. */
  unregisterTool(name: string): boolean {
    this.#registrations.get(name)?.remove();
    return this.#registrations.delete(name);
  }

  /** Removes this adapter's tools, and no others. */
  clearAll(): void {
    for (const name of this.#registrations.keys()) this.unregisterTool(name);
  }

  /** Whether the browser has taken the tool. */
  isRegistered(name: string): boolean {
    return this.getRegisteredTools().includes(name);
  }

  getRegisteredTools(): string[] {
    return (this.#offer?.names() ?? []).filter((name) => this.#registrations.has(name));
  }

  /** The form that a browser takes; its calls are validated, and their results are MCP's. */
  static toModelContextTool(definition: ToolDefinition, handler: ToolHandler): ModelContextTool {
    const { name, description, inputSchema, ...options } = definition;
    const toolbox = toolboxWithoutPage();
    toolbox.registerTool(toolOf({ name, description, inputSchema }, handler, options));
    const { readOnlyHint } = options.annotations ?? {};
    return {
      name,
      description: description || name,
      inputSchema,
      ...(readOnlyHint !== undefined && { annotations: { readOnlyHint } }),
      async execute(input) {
        const { signal } = new AbortController();
        const outcome = await toolbox.callTool(name, input, {
          ...{ callId: crypto.randomUUID(), agent: { name: "browser" }, signal, deadline: Infinity },
          ...{ asks: [], rounds: false, progress() {}, log() {} },
          ask: (method, parameters) => askInPage(method, parameters, signal),
        });
        if (outcome.kind === "result") return JSON.parse(outcome.payload) as unknown;
        const { code, message } = outcome.kind === "aborted" ? cancelled : outcome;
        // Browsers drop the message of an error that is thrown.
        return { content: [{ type: "text", text: message }], isError: true, _meta: { "pagewire/code": code } };
      },
    };
  }

  #start(): void {
    if (!this.#isEnabled || this.#registrations.size === 0 || typeof document === "undefined") return;
    this.#offer ??= this.#offerTo({ toolbox: this.#toolbox }, { onError: warn, signal: this.#closing.signal });
  }
}

const cancelled = { code: "cancelled", message: "The call was cancelled." } as const;

function warn(error: unknown): void {
  logger.warn(`WebMcpAdapter: ${messageOf(error)}`);
}
