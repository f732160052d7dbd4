import type { WcBindableDeclaration } from "../bindable/index.ts";
import { copy, createCoreState, properties } from "./core-state.ts";
import type { CoreState } from "./core-state.ts";
import { loaded, providerLoader } from "./lazy-parts.ts";
import { withId, withIds } from "./messages.ts";
import type { Entry } from "./messages.ts";
import type { AiModel } from "./model.ts";
import type { IAiProvider } from "./provider.ts";
import type { ToolDesk } from "./run.ts";
import { createSend } from "./send.ts";
import type { Send } from "./send.ts";
import { createToolRegistry, getRegisteredTool } from "./tool-registry.ts";
import type {
  AiContentPart,
  AiHttpError,
  AiMessage,
  AiRequestOptions,
  AiToolCallState,
  AiToolDecision,
  AiToolHandler,
  AiUsage,
} from "./types.ts";
import { checkMessages, checkPrompt, validateOptions } from "./validate-options.ts";

/** A conversation with a model. */
export class AiCore extends EventTarget {
  static readonly wcBindable: WcBindableDeclaration = {
    protocol: "wc-bindable",
    version: 1,
    properties: properties.slice(0, 6),
    inputs: [{ name: "provider" }, { name: "messages" }],
    commands: [{ name: "send", async: true }, { name: "abort" }],
  };

  readonly #state: CoreState;
  readonly #registry = createToolRegistry();
  readonly #desk: ToolDesk = {
    waiting: new Map(),
    decisions: new Map(),
    handlerOf: (name) => this.#registry.get(name) ?? getRegisteredTool(name),
  };
  #provider: string | IAiProvider | null = null;
  #send: Send | undefined;

  /** Events are dispatched on the target; on the core itself when there is none. */
  constructor(target?: EventTarget) {
    super();
    this.#state = createCoreState(target ?? this);
  }

  get content(): string {
    return this.#state.values.content;
  }

  /**
   * The conversation: a copy. Set, it replaces the conversation; an answer to a message that is not in it any more is
   * stopped.
   */
  get messages(): AiMessage[] {
    return copy(this.#state.values.messages);
  }

  set messages(messages: AiMessage[]) {
    checkMessages(messages);
    const entries = withIds(copy(messages));
    if (!this.#send?.replace(entries)) this.#state.update({ messages: entries });
  }

  get usage(): AiUsage | null {
    return copy(this.#state.values.usage);
  }

  get loading(): boolean {
    return this.#state.values.loading;
  }

  get streaming(): boolean {
    return this.#state.values.streaming;
  }

  get error(): AiHttpError | Error | null {
    return this.#state.values.error;
  }

  /** The model's thoughts before this answer. */
  get reasoning(): string {
    return this.#state.values.reasoning;
  }

  /** The structured answer so far. */
  get object(): unknown {
    return copy(this.#state.values.object);
  }

  /** This answer's tool calls, and how far each one is. */
  get toolCalls(): AiToolCallState[] {
    return copy(this.#state.values.toolCalls);
  }

  /** The name of a built-in provider, or one of your own. */
  get provider(): string | IAiProvider | null {
    return this.#provider;
  }

  set provider(provider: string | IAiProvider | null) {
    if (provider !== null) providerLoader(provider);
    this.#provider = provider;
  }

  /**
   * Sends a prompt and resolves with the answer; with null where it was stopped or failed, and then `error` has the
   * reason. Throws on invalid arguments. Stops the answer before it.
   */
  send(prompt: string | AiContentPart[], options: AiRequestOptions): Promise<string | null> {
    return this.#ask(turnOf(prompt, options), Infinity, options);
  }

  /** Requests the last answer again. */
  regenerate(options: AiRequestOptions): Promise<string | null> {
    const { messages } = this.#state.values;
    const at = messages.findLastIndex(({ role }) => role === "user");
    const message = messages[at];
    if (!message) throw new Error("There is no user message to answer.");
    validateOptions(options);
    return this.#ask(withId(message), at, options);
  }

  /**
   * Replaces a message of the user, removes everything after it, and requests an answer. An app's message keeps its
   * author.
   */
  edit(messageId: string, prompt: string | AiContentPart[], options: AiRequestOptions): Promise<string | null> {
    const { messages } = this.#state.values;
    const at = messages.findIndex(({ id, role }) => id === messageId && role === "user");
    const turn = turnOf(prompt, options, messages[at]);
    if (at === -1) throw new Error(`There is no user message "${messageId}" to edit.`);
    return this.#ask(turn, at, options);
  }

  /** The models that the provider offers. Rejects with an `AiHttpError` or `Error` where it lists none. */
  async models(options: Partial<AiRequestOptions> = {}): Promise<AiModel[]> {
    const provider = await providerLoader(this.#provider)();
    return (await loaded(import("./list-models.ts"))).listModels(provider, options);
  }

  abort(): void {
    this.#send?.end();
  }

  /** Allows or refuses a pending tool call. False if no such call is pending. */
  settleToolCall(callId: string, decision: AiToolDecision): boolean {
    const { waiting } = this.#desk;
    const decide = waiting.get(callId);
    waiting.delete(callId);
    decide?.(decision);
    return decide !== undefined;
  }

  /** Registers a tool's handler for this core only. */
  registerTool(name: string, handler: AiToolHandler): void {
    this.#registry.register(name, handler);
  }

  unregisterTool(name: string): boolean {
    return this.#registry.unregister(name);
  }

  getRegisteredTool(name: string): AiToolHandler | undefined {
    return this.#registry.get(name);
  }

  #ask(message: Entry, at: number, options: AiRequestOptions): Promise<string | null> {
    const loadProvider = providerLoader(this.#provider);
    const former = this.#send;
    const send = (this.#send = createSend({
      desk: this.#desk,
      state: this.#state,
      options: { ...options },
      loadProvider,
      message,
      at,
    }));
    former?.end();
    return send.start();
  }
}

/** The user's turn, or that of an app in the user's place; `former` is the message it replaces. */
function turnOf(prompt: string | AiContentPart[], options: AiRequestOptions, former?: AiMessage): Entry {
  checkPrompt(prompt);
  validateOptions(options);
  const from = former?.from ?? options.from;
  return withId({ role: "user", content: copy(prompt), ...(from && { from }) });
}
