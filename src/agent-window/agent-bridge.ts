// The page's side of the bridge to the agent's window, as pages use it.
import type { JsonObject } from "../wire/index.ts";
import type { AgentSaid, AgentSender } from "./agent-channel.ts";
import { checkConfig } from "./bridge-config.ts";
import type { BridgeConfig, CheckedConfig } from "./bridge-config.ts";
import { createConnection } from "./bridge-connection.ts";
import { destroyed, invalid, windowGone } from "./bridge-errors.ts";
import { browserEnvironment } from "./bridge-environment.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";
import { bridgeLimits } from "./bridge-limits.ts";
import type { ConnectionReason, ConnectionState } from "./bridge-states.ts";
import type { Connection } from "./connection.ts";
import { createKnownCalls } from "./known-calls.ts";
import type { KnownCalls } from "./known-calls.ts";
import type { Envelope, FromParent } from "./messages.ts";
import { failed } from "./run-tool.ts";
import { createToolCalls } from "./tool-calls.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { MessageInjectionOptions, ToolCallHandler, ToolDefinition } from "./tool-definition.ts";
import { createToolShelf } from "./tool-shelf.ts";
import type { ToolShelf } from "./tool-shelf.ts";

/** Opens the agent's window, lets the agent call this page's tools, and puts messages into its field. */
export class AgentBridge {
  readonly #config: CheckedConfig;
  readonly #environment: BridgeEnvironment;
  readonly #shelf: ToolShelf;
  readonly #known: KnownCalls;
  readonly #calls: ToolCalls;
  readonly #connection: Connection;
  #hasTriedToRecover = false;
  #isDestroyed = false;

  /** `environment` is for tests; pages need none. */
  constructor(config: BridgeConfig, environment: BridgeEnvironment = browserEnvironment()) {
    const { agentOrigin, toolbox, onError } = (this.#config = checkConfig(config));
    const { clock, date, storage } = (this.#environment = environment);
    const limits = bridgeLimits;
    this.#shelf = createToolShelf(toolbox, () => this.#connection.post(this.#toolsList()));
    this.#known = createKnownCalls({ storage, clock, date, limits });
    this.#calls = createToolCalls({
      shelf: this.#shelf,
      known: this.#known,
      clock,
      date,
      limits,
      agent: agentOrigin,
      onError,
    });
    this.#connection = createConnection({
      config: this.#config,
      environment,
      changed: (...change) => this.#changed(...change),
      closed: () => this.#tell("onWindowClosed", () => config.onWindowClosed?.()),
      recovered: (window) => this.#tell("onSessionRecovered", () => config.onSessionRecovered?.(window)),
      greeting: () => this.#toolsList(),
      heard: (said, sender) => this.#heard(said, sender),
      left: (reason) => this.#calls.endAll(windowGone(reason)),
      leaving: () => this.#known.save(),
    });
    if (toolbox) queueMicrotask(() => this.#recoverOnce());
  }

  /** Offers a tool. One with the same name is replaced. */
  registerTool(tool: ToolDefinition): void {
    this.#shelf.add([tool]);
  }

  /** Offers tools. The first time, the window that this tab opened before a reload is found again. */
  registerTools(tools: readonly ToolDefinition[]): void {
    this.#shelf.add(tools);
    this.#recoverOnce();
  }

  /** Takes a tool back. A call of it that runs goes on. */
  unregisterTool(name: string): void {
    this.#shelf.remove(name);
  }

  /** Says what runs a tool. */
  onToolCall<Arguments extends object = JsonObject>(toolName: string, handler: ToolCallHandler<Arguments>): void {
    if (typeof handler !== "function") throw invalid(`The handler of tool "${toolName}" is not a function.`);
    // What comes was checked by the schema that the page's author wrote for this type.
    this.#shelf.setHandler(toolName, handler as unknown as ToolCallHandler);
  }

  /** Opens the agent's window, or brings it to the front; null where the browser does not let it open. */
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

  /** Puts a message into the agent's field; one that comes before the window is ready waits for it. */
  injectMessage(message: string, { autoSend }: MessageInjectionOptions = {}): void {
    this.#requireAlive();
    if (typeof message !== "string") throw invalid("The message to inject is not a text.");
    const payload = autoSend === undefined ? { message } : { message, autoSend };
    this.#connection.deliver({ type: "inject_message", payload });
  }

  /** Whether the window is there. */
  isAgentOpen(): boolean {
    return this.#connection.isOpen;
  }

  getConnectionState(): ConnectionState {
    return this.#connection.state;
  }

  /** Why it is in its state, where that was nobody's wish. */
  getConnectionReason(): ConnectionReason | undefined {
    return this.#connection.reason;
  }

  /** Tries now, instead of waiting; whether there is a window that can answer. */
  reconnect(): boolean {
    return !this.#isDestroyed && this.#connection.reconnect();
  }

  /** Finds the window that this tab opened before the page was reloaded; without one nothing happens. */
  tryRecoverSession(): void {
    if (!this.#isDestroyed) this.#connection.recover();
  }

  /** Ends the bridge and leaves the window open, for the next bridge to find. Can be called twice. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#shelf.close();
    this.#connection.close();
    this.#known.save();
  }

  #recoverOnce(): void {
    if (this.#hasTriedToRecover || !this.#config.autoRecover) return;
    this.#hasTriedToRecover = true;
    this.tryRecoverSession();
  }

  #toolsList(): Envelope<FromParent> {
    return { type: "tools_list", payload: { tools: this.#shelf.list() } };
  }

  #heard(said: AgentSaid, sender: AgentSender): void {
    if (said.kind === "message") {
      if (said.message.type === "tool_call") this.#calls.take(said.message.payload, sender);
      else if (said.message.type === "tool_cancel") this.#calls.cancel(said.message.payload.call_id);
      return;
    }
    const { error, type, callId } = said;
    if (type === "tool_call" && callId !== undefined) {
      sender.post({ type: "tool_response", payload: { call_id: callId, ...failed(error).answer } });
    } else this.#config.onError(error, { stage: "agent message" });
  }

  #changed(state: ConnectionState, previousState: ConnectionState, reason: ConnectionReason | undefined): void {
    const detail = { previousState, currentState: state, reason };
    this.#environment.self.dispatchEvent(new CustomEvent("agent-connection-state-changed", { detail }));
    this.#tell("onConnectionChange", () => this.#config.onConnectionChange?.(state, previousState, reason));
  }

  /** What a callback throws must not change what the bridge does. */
  #tell(stage: string, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#config.onError(error, { stage });
    }
  }

  #requireAlive(): void {
    if (this.#isDestroyed) throw destroyed();
  }
}
