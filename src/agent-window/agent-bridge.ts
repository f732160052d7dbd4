// The page's side of the bridge to the agent's window: its public class.
import type { JsonObject, PagewireError } from "../wire/index.ts";
import type { AgentCalls } from "./agent-calls.ts";
import type { AgentReading, AgentSender } from "./agent-channel.ts";
import { checkConfig } from "./bridge-config.ts";
import type { BridgeConfig, CheckedConfig } from "./bridge-config.ts";
import { Connection } from "./bridge-connection.ts";
import { answerWith, destroyed, invalid, partMissing, windowGone } from "./bridge-errors.ts";
import { browserEnvironment } from "./bridge-environment.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";
import type { ConnectionReason, ConnectionState } from "./bridge-states.ts";
import type { Envelope, FromParent } from "./messages.ts";
import type { MessageInjectionOptions, ToolCallHandler, ToolDefinition } from "./tool-definition.ts";
import { createToolShelf } from "./tool-shelf.ts";
import type { ToolShelf } from "./tool-shelf.ts";

/** Opens the agent's window, lets the agent call this page's tools, and puts messages into its input field. */
export class AgentBridge {
  readonly #config: CheckedConfig;
  readonly #environment: BridgeEnvironment;
  readonly #shelf: ToolShelf;
  readonly #connection: Connection;
  /** Runs the agent's calls once it is loaded; the messages until then wait. */
  #calls: AgentCalls | undefined;
  #waiting: ((calls: AgentCalls) => void)[] = [];
  #isLoading = false;
  #hasTriedToRecover = false;
  #isDestroyed = false;

  /** `environment` is for tests; pages need none. */
  constructor(config: BridgeConfig, environment: BridgeEnvironment = browserEnvironment()) {
    const { toolbox } = (this.#config = checkConfig(config));
    this.#environment = environment;
    this.#shelf = createToolShelf(toolbox, () => this.#connection.post(this.#toolsList()));
    this.#connection = new Connection({
      config: this.#config,
      environment,
      changed: (...change) => this.#changed(...change),
      closed: () => this.#notify("onWindowClosed", () => config.onWindowClosed?.()),
      recovered: (window) => this.#notify("onSessionRecovered", () => config.onSessionRecovered?.(window)),
      greeting: () => this.#toolsList(),
      received: (reading, sender) => this.#receive(reading, sender),
      left: (reason) => this.#endCalls(windowGone(reason)),
      leaving: () => this.#calls?.save(),
    });
    if (toolbox) queueMicrotask(() => this.#recoverOnce());
  }

  /** Offers a tool, and replaces one with the same name. */
  registerTool(tool: ToolDefinition): void {
    this.#shelf.add([tool]);
  }

  /** Offers tools. The first call also finds the window that this tab opened before a reload. */
  registerTools(tools: readonly ToolDefinition[]): void {
    this.#shelf.add(tools);
    this.#recoverOnce();
  }

  /** Withdraws a tool. A running call goes on. */
  unregisterTool(name: string): void {
    this.#shelf.remove(name);
  }

  /** Sets the handler of a tool. */
  onToolCall<Arguments extends object = JsonObject>(toolName: string, handler: ToolCallHandler<Arguments>): void {
    if (typeof handler !== "function") throw invalid(`The handler of tool "${toolName}" is not a function.`);
    // The arguments were checked by the schema that the page's author wrote for this type.
    this.#shelf.setHandler(toolName, handler as unknown as ToolCallHandler);
  }

  /** Opens the agent's window, or brings it to the front; null if the browser blocks it. */
  openAgent(): Window | null {
    this.#requireAlive();
    return this.#connection.open();
  }

  /** Shows the agent in a frame inside an element; closes the window if there is one. */
  mount(element: Element): HTMLIFrameElement {
    this.#requireAlive();
    return this.#connection.mount(element);
  }

  /** Closes the agent's window. */
  closeAgent(): void {
    this.#connection.closeWindow();
  }

  /** Puts a message into the agent's input field, as soon as the window is ready. */
  injectMessage(message: string, { autoSend }: MessageInjectionOptions = {}): void {
    this.#requireAlive();
    if (typeof message !== "string") throw invalid("The message to inject is not a text.");
    const payload = autoSend === undefined ? { message } : { message, autoSend };
    this.#connection.deliver({ type: "inject_message", payload });
  }

  /** Whether the window exists. */
  isAgentOpen(): boolean {
    return this.#connection.isOpen;
  }

  getConnectionState(): ConnectionState {
    return this.#connection.state;
  }

  /** The reason for the state, unless the page asked for it. */
  getConnectionReason(): ConnectionReason | undefined {
    return this.#connection.reason;
  }

  /** Retries at once; returns whether there is a window that can answer. */
  reconnect(): boolean {
    return !this.#isDestroyed && this.#connection.reconnect();
  }

  /** Finds the window that this tab opened before the page was reloaded; without one it does nothing. */
  tryRecoverSession(): void {
    if (!this.#isDestroyed) this.#connection.recover();
  }

  /** Ends the bridge and leaves the window open for the next bridge. May be called twice. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#shelf.close();
    this.#connection.close();
    this.#calls?.save();
  }

  #recoverOnce(): void {
    if (this.#hasTriedToRecover || !this.#config.autoRecover) return;
    this.#hasTriedToRecover = true;
    this.tryRecoverSession();
  }

  #toolsList(): Envelope<FromParent> {
    return { type: "tools_list", payload: { tools: this.#shelf.list() } };
  }

  #receive(reading: AgentReading, sender: AgentSender): void {
    if (reading.kind === "message") {
      const { type, payload } = reading.message;
      if (type === "tool_call") this.#withCalls((calls) => calls.take(payload, sender));
      else if (type === "tool_cancel") this.#withCalls((calls) => calls.cancel(payload.call_id));
      return;
    }
    const { error, type, callId } = reading;
    if (type === "tool_call" && callId !== undefined) {
      sender.post({ type: "tool_response", payload: { call_id: callId, ...answerWith(error) } });
    } else this.#config.onError(error, { stage: "agent message" });
  }

  /** Passes the agent's messages about calls on in order, as soon as the module that runs them is loaded. */
  #withCalls(use: (calls: AgentCalls) => void): void {
    if (this.#calls) return use(this.#calls);
    this.#waiting.push(use);
    if (!this.#isLoading) void this.#loadCalls();
  }

  #endCalls(reason: PagewireError): void {
    this.#waiting = [];
    this.#calls?.endAll(reason);
  }

  async #loadCalls(): Promise<void> {
    this.#isLoading = true;
    let calls: AgentCalls;
    try {
      const { createAgentCalls } = await import("./agent-calls.ts");
      const { agentOrigin: agent, onError } = this.#config;
      this.#calls = calls = createAgentCalls({ shelf: this.#shelf, environment: this.#environment, agent, onError });
    } catch (error) {
      // The next call retries.
      calls = refusing(partMissing(error));
    }
    this.#isLoading = false;
    for (const use of this.#waiting.splice(0)) use(calls);
  }

  #changed(state: ConnectionState, previousState: ConnectionState, reason: ConnectionReason | undefined): void {
    // Preloads it for the first call.
    if (state === "connected") this.#withCalls(() => {});
    const detail = { previousState, currentState: state, reason };
    this.#environment.self.dispatchEvent(new CustomEvent("agent-connection-state-changed", { detail }));
    this.#notify("onConnectionChange", () => this.#config.onConnectionChange?.(state, previousState, reason));
  }

  /** Errors of callbacks must not affect the bridge. */
  #notify(stage: string, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#config.onError(error, { stage });
    }
  }

  #requireAlive(): void {
    if (this.#isDestroyed) throw destroyed();
  }
}

/** An `AgentBridge` whose window has the name that users of that bridge expect. */
export class SeahorseAgentBridge extends AgentBridge {
  constructor(config: BridgeConfig, environment?: BridgeEnvironment) {
    super({ ...config, windowName: config.windowName ?? "seahorse-agent" }, environment);
  }
}

/** Answers every call with this error. */
function refusing(error: PagewireError): AgentCalls {
  return {
    take: ({ call_id }, sender) => sender.post({ type: "tool_response", payload: { call_id, ...answerWith(error) } }),
    cancel() {},
    endAll() {},
    save() {},
  };
}
