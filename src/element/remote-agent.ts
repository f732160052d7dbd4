// The side of `<ai-agent>` that speaks to a core on a server. Loaded when an element is in remote mode.
import { keptAiDeclaration } from "../ai/core.ts";
import type { AiMessage, AiModel, AiRequestOptions, AiToolDecision } from "../ai/index.ts";
import { ClientEngine, EngineConnection, isTransportFailure, readNames } from "../bindable/engine.ts";
import type { ConnectRemoteCoreOptions, RemoteState } from "../bindable/engine.ts";
import { PagewireError } from "../wire/index.ts";
import type { AgentProperties } from "./agent-properties.ts";
import { getConfig } from "./config.ts";
import { createConversationMemory, isForgotten } from "./conversation-memory.ts";
import { openSocket } from "./open-socket.ts";
import { createPendingAnswers } from "./pending-answers.ts";
import type { PendingAnswer } from "./pending-answers.ts";
import { createRemoteToolCalls } from "./remote-tool-calls.ts";
import { RemoteValues, isRemoteName, readRemoteValue } from "./remote-values.ts";
import { noticeKey, wireOptions } from "./wire-options.ts";

/** Milliseconds without the server before an answer counts as lost, though the server may continue with it. */
const RECONNECT_TIMEOUT = 5000;
/** The server's provider has ten seconds to list them. */
const MODELS_TIMEOUT = 15_000;

const names = readNames(keptAiDeclaration);
const events = new Map(keptAiDeclaration.properties.map(({ name, event }) => [name, event]));

/** The commands that request an answer. */
export type AgentCommand = "send" | "regenerate" | "edit";

type Core = EngineConnection<{ readonly engine: ClientEngine }>;

export interface RemoteAgentOptions {
  readonly url: URL;
  /** Whether it starts a conversation, even if another is remembered. */
  readonly isNew: boolean;
  /** The values that the element shows: values of another server or conversation are changes to these. */
  readonly values: RemoteValues | undefined;
}

export class RemoteAgent {
  /** The server's last values. */
  readonly values: RemoteValues;
  readonly #host: HTMLElement & AgentProperties;
  readonly #url: URL;
  readonly #memory: ReturnType<typeof createConversationMemory>;
  readonly #pending = createPendingAnswers(() => this.connection === "open");
  readonly #toolCalls = createRemoteToolCalls({
    dispatch: (name, detail) => this.#dispatch(name, detail),
    settle: (callId, decision) => void this.settleToolCall(callId, decision),
    getApprove: () => this.#host.approve,
    failed: (error) => this.#put("error", error),
  });
  /** Resolves once the page has processed all calls that the server has sent. */
  #shown = Promise.resolve();
  readonly #received = new Map<string, unknown>();
  #core: Core;
  #close = () => {};
  #conversation: string | undefined;
  /** The provider that was sent to the server. */
  #provider = "";
  #wasOpen = false;
  #isLost = false;
  #isClosed = false;
  #lossTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: HTMLElement & AgentProperties, { url, isNew, values }: RemoteAgentOptions) {
    this.#host = host;
    this.values = values ?? new RemoteValues();
    this.#url = url;
    this.#memory = createConversationMemory(host, url);
    if (isNew) this.#memory.write(undefined);
    this.#core = this.#connect(host.getAttribute("conversation") || this.#memory.read());
  }

  get #engine(): ClientEngine {
    return this.#core.made.engine;
  }

  get connection(): RemoteState {
    return this.#core.state;
  }

  get conversation(): string | null {
    return this.#conversation ?? null;
  }

  setMessages(messages: AiMessage[]): void {
    this.#engine.setWithAck("messages", messages, { timeoutMs: 0 }).catch((error: Error) => this.#put("error", error));
  }

  /** Has the core send, regenerate or edit. */
  async ask(command: AgentCommand, args: unknown[], options: AiRequestOptions): Promise<string | null> {
    const areForwarded = this.#host.forwardCredentials;
    const sent = wireOptions(options, areForwarded);
    if (options.apiKey) noticeKey(this.#host, areForwarded);
    // A local error ends with the next question.
    if (this.connection === "open") this.#put("error", this.#engine.values.get("error") ?? null);
    this.#core.retryNow();
    const pending = this.#pending.add();
    try {
      const answer = await Promise.race([this.#invoke(command, [...args, sent], pending), pending.abandoned]);
      await this.#shown;
      return typeof answer === "string" ? answer : null;
    } catch (error) {
      if (isForgotten(error) && !pending.isSent) return await this.ask(command, args, options);
      if (!isForgotten(error) && !isTransportFailure(error)) throw error;
      this.#fail(error as Error);
      return null;
    } finally {
      pending.end();
    }
  }

  invoke(command: string, args: unknown[]): Promise<unknown> {
    return this.#engine.command(command, args);
  }

  /** The models that the server permits. */
  async models(): Promise<AiModel[]> {
    const found = await this.#engine.invoke("models", [], { timeoutMs: MODELS_TIMEOUT });
    const models: readonly (Partial<AiModel> | null)[] = Array.isArray(found) ? found : [];
    return models.flatMap((model) =>
      typeof model?.id === "string" ? [{ ...model, id: model.id, name: String(model.name ?? model.id) }] : [],
    );
  }

  settleToolCall(callId: string, decision: AiToolDecision): boolean {
    const isWaiting = this.values.toolCalls.some(({ id, status }) => id === callId && status === "waiting");
    if (isWaiting) this.#command("settleToolCall", callId, decision);
    return isWaiting;
  }

  abort(): void {
    if (this.#wasOpen && (this.values.loading || this.#pending.size > 0)) this.#command("abort");
    this.#pending.abandon();
    if (this.connection !== "open") this.#rest();
  }

  close(): void {
    this.#pending.abandon();
    this.#close();
    this.#toolCalls.close();
    this.#memory.release();
    this.#rest();
    this.#isClosed = true;
  }

  #connect(session: string | undefined): Core {
    this.#close();
    this.#conversation = session;
    const options: ConnectRemoteCoreOptions = {
      connect: () => openSocket(this.#url, this.#host.token ?? getConfig().remote.token),
      ...(session !== undefined && { session }),
      onSession: (id) => this.#setConversation(id),
    };
    const changed = (name: string, value: unknown) => this.#put(name, value);
    const core = new EngineConnection(options, (owner) => ({
      engine: new ClientEngine({ ...options, names, changed, owner }),
    }));
    const stop = core.onStateChange((state, reason) => this.#become(state, reason));
    this.#close = () => {
      core.close();
      stop();
      clearTimeout(this.#lossTimer);
    };
    this.#dispatch("connection-changed", core.state);
    return core;
  }

  async #invoke(command: string, args: unknown[], pending: PendingAnswer): Promise<unknown> {
    const call = { timeoutMs: 0, signal: pending.signal };
    const provider = this.#host.getAttribute("provider") || this.#provider;
    if (provider !== this.#provider) {
      await this.#engine.setWithAck("provider", provider, call);
      this.#provider = provider;
    }
    return pending.isOver ? null : this.#engine.invoke(command, args, call);
  }

  /** Invokes a command that has no answer. */
  #command(command: string, ...args: unknown[]): void {
    this.#engine.invoke(command, args, { timeoutMs: 0 }).catch((error: Error) => {
      if (!isTransportFailure(error)) this.#put("error", error);
    });
  }

  #become(state: RemoteState, reason: Error | undefined): void {
    this.#dispatch("connection-changed", state);
    if (state === "open") this.#recover();
    else if (state === "closed" && reason) this.#refused(reason);
    else if (state !== "waiting") return;
    else if (!this.#wasOpen) this.#lose("WebSocket connection failed", reason);
    else if (this.#isLost || this.#conversation === undefined) this.#lose("connection lost", reason);
    else this.#lossTimer ??= setTimeout(() => this.#lose("connection lost", reason), RECONNECT_TIMEOUT);
  }

  #recover(): void {
    clearTimeout(this.#lossTimer);
    this.#lossTimer = undefined;
    this.#wasOpen = true;
    this.#isLost = false;
    this.#provider = "";
    this.#pending.markSent();
    const { values } = this.#engine;
    this.#put("error", null);
    for (const name of events.keys()) if (values.has(name)) this.#put(name, values.get(name));
  }

  #refused(reason: Error): void {
    if (!isForgotten(reason) || this.#conversation === undefined || this.#host.getAttribute("conversation")) {
      return this.#fail(this.#failure("the server refused", reason));
    }
    this.#memory.write(undefined);
    this.#core = this.#connect(undefined);
  }

  /** Rejects pending answers; reports that once per lost connection. */
  #lose(what: string, cause: Error | undefined): void {
    if (this.#isLost) return this.#pending.abandon();
    this.#isLost = true;
    this.#fail(this.#failure(what, cause));
  }

  #failure(what: string, cause: Error | undefined): PagewireError {
    const why = cause ? ` (${cause.message})` : "";
    return new PagewireError("hub-unreachable", `<ai-agent>: ${what}: ${this.#url.href}${why}`, { cause });
  }

  #fail(error: Error): void {
    this.#pending.abandon();
    this.#rest();
    this.#put("error", error);
  }

  /** Resets the state: from the page's point of view, nothing is pending any more. */
  #rest(): void {
    this.#put("loading", false);
    this.#put("streaming", false);
  }

  #setConversation(id: string): void {
    this.#conversation = id;
    this.#memory.write(id);
    this.#dispatch("conversation-changed", id);
  }

  #put(name: string, raw: unknown): void {
    if (this.#isClosed || !isRemoteName(name) || (this.#received.has(name) && this.#received.get(name) === raw)) return;
    this.#received.set(name, raw);
    const value = readRemoteValue(name, raw);
    if (value === undefined && name !== "object") {
      if (raw !== undefined) console.warn(`<ai-agent>: the server's "${name}" has not the form that it must have.`);
      return;
    }
    if (value === this.values[name]) return;
    Object.assign(this.values, { [name]: value });
    this.#dispatch(name, this.values[name]);
    if (name === "toolCalls") this.#shown = this.#toolCalls.show(this.values.toolCalls, this.#wasOpen);
  }

  #dispatch(name: string, detail: unknown): void {
    const type = events.get(name) ?? `ai-agent:${name}`;
    this.#host.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  }
}
