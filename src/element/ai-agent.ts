import { AiCore } from "../ai/core.ts";
import type {
  AiAgentValues,
  AiContentPart,
  AiMessage,
  AiModel,
  AiNotSaved,
  AiToolCallState,
  AiToolDecision,
  AiUsage,
  AiHttpError,
  IAiProvider,
} from "../ai/index.ts";
import type { AgentConnection } from "./agent-events.ts";
import { AgentElement, takeEarlyProperties, setOrRemove } from "./agent-properties.ts";
import { addToAutoTrigger, removeFromAutoTrigger } from "./auto-trigger.ts";
import { hide } from "./html-element.ts";
import type { AgentCommand } from "./remote-agent.ts";
import { RemoteMode } from "./remote-mode.ts";
import { requestOptions } from "./request-options.ts";
import { readSeededMessages } from "./ai-message.ts";

/** State that only the core has. */
const observed = ["content", "usage", "loading", "streaming", "reasoning", "object", "toolCalls", "notSaved"] as const;

/** `<ai-agent>`: a model for the page. Shows nothing; its properties and events say how far the answer is. */
export class AiAgent extends AgentElement implements AiAgentValues {
  static readonly wcBindable = {
    ...AiCore.wcBindable,
    properties: [...AiCore.wcBindable.properties, { name: "trigger", event: "ai-agent:trigger-changed" }],
  };

  static readonly observedAttributes = ["provider", "remote-core-url", "conversation"];

  static {
    for (const name of observed) {
      const get = function (this: AiAgent) {
        return this.#values[name] ?? null;
      };
      Object.defineProperty(this.prototype, name, { get, configurable: true, enumerable: true });
    }
  }

  declare readonly content: string;
  declare readonly usage: AiUsage | null;
  declare readonly loading: boolean;
  declare readonly streaming: boolean;
  /** The model's thoughts before this answer. */
  declare readonly reasoning: string;
  /** The structured answer so far. */
  declare readonly object: unknown;
  /** This answer's tool calls, and how far each one is. */
  declare readonly toolCalls: AiToolCallState[];
  /** Remote mode: why the server could not store the last message or decision; null where it did. It retries by itself. */
  declare readonly notSaved: AiNotSaved | null;
  readonly #local = new AiCore(this);
  readonly #remote = new RemoteMode(this, (error) => this.#setError(error));
  /** Errors outside of the cores: an unknown provider, a request that could not be made. */
  #error: Error | null = null;
  #providerFault: Error | null = null;
  #provider: IAiProvider | undefined;
  #seeded: ReturnType<typeof readSeededMessages> | undefined;
  #isHistoryGiven = false;
  #isEntered = false;
  #asks = 0;
  #triggers = 0;

  /** The name of a provider, or one of your own. */
  get provider(): string | IAiProvider {
    return this.#provider ?? this.getAttribute("provider") ?? "";
  }

  set provider(provider: string | IAiProvider | null) {
    const isOwn = typeof provider === "object" && provider !== null;
    setOrRemove(this, "provider", isOwn ? null : provider);
    if (!isOwn) return;
    this.#provider = provider;
    this.#setProvider(provider);
  }

  get messages(): AiMessage[] {
    return this.#values.messages;
  }

  /** In remote mode the server's history is asked to become this one; before there is a server, nothing happens. */
  set messages(messages: AiMessage[]) {
    if (this.#remote.isOn) this.#remote.agent?.setMessages(messages);
    else this.#local.messages = messages;
    this.#isHistoryGiven = true;
  }

  get error(): AiHttpError | Error | null {
    return this.#error ?? this.#values.error;
  }

  /** How the way to the server is; `local` where the core is in the page. */
  get connection(): AgentConnection {
    return this.#remote.connection;
  }

  /** Remote mode: the id that this conversation is found again by. Who has it can read on: treat it as a secret. */
  get conversation(): string | null {
    return this.getAttribute("conversation") || this.#remote.conversation;
  }

  /** An id opens that conversation, null begins another. */
  set conversation(id: string | null) {
    this.#remote.isNew = id === null;
    if (id === null && !this.hasAttribute("conversation")) this.#reopen();
    else setOrRemove(this, "conversation", id);
  }

  get trigger(): boolean {
    return this.#triggers > 0;
  }

  /** Sends. It is true until there is an answer; what `send()` would reject with becomes `error`. */
  set trigger(isWanted: boolean) {
    if (!isWanted) return;
    this.#triggers += 1;
    this.#dispatch("trigger-changed", true);
    this.send()
      .catch((error: Error) => this.#setError(error))
      .finally(() => {
        this.#triggers -= 1;
        if (this.#triggers === 0) this.#dispatch("trigger-changed", false);
      });
  }

  /** Resolves with the whole answer; with null where it was stopped or failed, and `error` then has the reason. */
  send(): Promise<string | null> {
    return this.#ask("send", this.prompt);
  }

  /** Asks for the last answer once more. */
  regenerate(): Promise<string | null> {
    return this.#ask("regenerate");
  }

  /** Replaces a message of the user's, and all that came after it. */
  edit(messageId: string, prompt: string | AiContentPart[]): Promise<string | null> {
    return this.#ask("edit", messageId, prompt);
  }

  /** Remote mode: runs a command that the server's core has beside these methods, such as the hub's `listConversations`. */
  async invoke(command: string, ...args: unknown[]): Promise<unknown> {
    return (await this.#remote.reach()).invoke(command, args);
  }

  /** Lets a tool call that waits for it run, or not. False where no such call waits. */
  settleToolCall(callId: string, decision: AiToolDecision): boolean {
    return (this.#remote.agent ?? this.#local).settleToolCall(callId, decision);
  }

  /** The models to choose from: those that the provider offers, in remote mode those that the server permits. */
  async models(): Promise<AiModel[]> {
    if (this.#providerFault) throw this.#providerFault;
    if (!this.#remote.isOn) return this.#local.models(requestOptions(this, undefined));
    return (await this.#remote.reach()).models();
  }

  abort(): void {
    this.#asks += 1;
    (this.#remote.agent ?? this.#local).abort();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === "provider") {
      this.#provider = undefined;
      this.#setProvider(after || null);
    } else if (before !== after) this.#reopen();
  }

  connectedCallback(): void {
    hide(this);
    if (this.#isEntered) return;
    takeEarlyProperties(this);
    this.#enter();
  }

  disconnectedCallback(): void {
    // One that is only moved is back by then.
    queueMicrotask(() => {
      if (this.#isEntered && !this.isConnected) this.#leave();
    });
  }

  get #values(): Omit<AiAgentValues, "trigger"> &
    Pick<AiCore, "reasoning" | "object" | "toolCalls"> & { readonly notSaved?: AiNotSaved | null } {
    return this.#remote.agent?.values ?? this.#local;
  }

  #enter(): void {
    this.#isEntered = true;
    addToAutoTrigger(this);
    if (this.#remote.isOn) this.#remote.open();
    // While the document is read, the children are not there yet.
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.#seed());
    else queueMicrotask(() => this.#seed());
  }

  #leave(): void {
    this.#isEntered = false;
    removeFromAutoTrigger(this);
    this.abort();
    this.#remote.close();
  }

  /** Another server or conversation: what the former one does is its own affair. */
  #reopen(): void {
    if (!this.#isEntered) return;
    this.#remote.close();
    if (!this.#remote.isOn) return;
    this.#local.abort();
    this.#remote.open();
  }

  async #ask(command: AgentCommand, ...args: unknown[]): Promise<string | null> {
    if (this.#providerFault) throw this.#providerFault;
    this.#seed();
    const options = requestOptions(this, this.#seeded?.system);
    const asked = (this.#asks += 1);
    let answer: Promise<string | null>;
    if (this.#remote.isOn) {
      const agent = await this.#remote.ready();
      if (!agent || asked !== this.#asks) return null;
      answer = agent.ask(command, args, options);
    } else {
      const local: Record<AgentCommand, (...given: never[]) => Promise<string | null>> = this.#local;
      answer = local[command](...([...args, options] as never[]));
    }
    this.#setError(null);
    return await answer;
  }

  #seed(): void {
    if (this.#seeded) return;
    const { turns } = (this.#seeded = readSeededMessages(this));
    if (turns.length === 0 || this.#isHistoryGiven || this.#remote.isOn || this.#local.messages.length > 0) return;
    this.#local.messages = turns;
  }

  #setProvider(provider: string | IAiProvider | null): void {
    try {
      if (typeof provider === "object" && provider) this.#remote.refuseOwnProvider();
      this.#local.provider = provider;
      this.#providerFault = null;
    } catch (error) {
      this.abort();
      this.#providerFault = error as Error;
    }
    this.#setError(this.#providerFault);
  }

  #setError(error: Error | null): void {
    if (this.#error === error) return;
    this.#error = error;
    this.#dispatch("error", this.error);
  }

  #dispatch(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`ai-agent:${name}`, { bubbles: true, detail }));
  }
}
