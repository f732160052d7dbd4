// A bridge for one component: made from its options, updated with its tools, and exposing its state.
import { AgentBridge } from "../agent-window/index.ts";
import type {
  ConnectionReason,
  ConnectionState,
  ToolSource,
  BridgeConfig,
  ToolCallContext,
  ToolDefinition,
} from "../agent-window/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { OnError, JsonObject } from "../wire/index.ts";
import { describesSame } from "./describes-same.ts";

/** The state of a component's connection to the assistant. */
export interface Standing {
  readonly state: ConnectionState;
  /** Why it is not connected, if there is a reason to report. */
  readonly reason: ConnectionReason | undefined;
  /** The assistant's window, while it is open. */
  readonly window: Window | null;
  /**
   * For uses without a function here, such as `bridge.mount(element)`. Undefined on a server and in the first render.
   */
  readonly bridge: AgentBridge | undefined;
}

export interface HeldBridge {
  readonly bridge: AgentBridge;
  /** Offers these tools from now on, and no others. */
  offer(tools: readonly BridgeTool[]): void;
}

export interface HoldBridgeOptions {
  readonly content: Content;
  readonly toolbox: ToolSource;
  readonly newest: () => AgentBridgeOptions;
  readonly onError: OnError;
  readonly onStanding: (update: Partial<Standing>) => void;
}

export function holdBridge({ content, toolbox, newest, onError, onStanding }: HoldBridgeOptions): HeldBridge {
  const bridge: AgentBridge = new AgentBridge({
    ...content,
    toolbox,
    onError,
    onConnectionChange(state, previous, reason) {
      onStanding(bridge.isAgentOpen() ? { state, reason } : { state, reason, window: null });
      newest().onConnectionChange?.(state, previous, reason);
    },
    onWindowClosed: () => newest().onWindowClosed?.(),
    onSessionRecovered(window) {
      onStanding({ window });
      newest().onSessionRecovered?.(window);
    },
  });
  return { bridge, offer: createOfferedTools(bridge, { newest: () => newest().tools ?? [], onError }) };
}

interface OfferedToolsOptions {
  readonly newest: () => readonly BridgeTool[];
  readonly onError: OnError;
}

/** The returned function offers these tools from now on, and no others. */
function createOfferedTools(
  bridge: AgentBridge,
  { newest, onError }: OfferedToolsOptions,
): (tools: readonly BridgeTool[]) => void {
  let offered: readonly BridgeTool[] = [];

  function offer({ handler: _handler, ...definition }: BridgeTool): void {
    const { name } = definition;
    try {
      bridge.registerTool(definition);
      bridge.onToolCall(name, (...given) => {
        const tool = newest().find((known) => known.name === name);
        if (tool) return tool.handler(...given);
        throw new PagewireError("tool-not-found", `The app does not offer ${name} any more.`);
      });
    } catch (error) {
      onError(error, { stage: `useAgentBridge ${name}` });
    }
  }

  return (tools) => {
    for (const { name } of offered) if (!tools.some((tool) => tool.name === name)) bridge.unregisterTool(name);
    for (const tool of tools) if (!offered.some((known) => describesSame(known, tool))) offer(tool);
    offered = tools;
  };
}

/** A tool as written in a component: its handler may close over props and state. */
interface BridgeTool extends ToolDefinition {
  /** The handler. Returns JSON or a promise of it; the agent receives its errors. */
  handler(args: JsonObject, context: ToolCallContext): unknown;
}

/** The options of an `AgentBridge`, with the tools of `<PagewireProvider>`'s page if `toolbox` is true. */
export interface AgentBridgeOptions extends Omit<BridgeConfig, "toolbox"> {
  readonly tools?: readonly BridgeTool[];
  readonly toolbox?: ToolSource | true;
}

/** The options that need a new bridge. The others can change while it lives. */
type Content = Omit<
  BridgeConfig,
  "toolbox" | "onConnectionChange" | "onWindowClosed" | "onSessionRecovered" | "onError"
>;

export function contentOf(options: AgentBridgeOptions): Content {
  const {
    tools: _tools,
    toolbox: _toolbox,
    onConnectionChange: _onConnectionChange,
    onWindowClosed: _onWindowClosed,
    onSessionRecovered: _onSessionRecovered,
    onError: _onError,
    ...content
  } = options;
  return content;
}
