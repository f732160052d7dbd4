import type { JsonObject, ToolAnnotations, TraceContext } from "../wire/index.ts";

/** A tool as the parent offers it to the agent's window. */
export interface WindowTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly title?: string;
  /** Without `readOnlyHint: true` the user is asked before it runs. */
  readonly annotations?: ToolAnnotations;
}

/** A tool as a page registers it. */
export interface ToolDefinition extends Omit<WindowTool, "parameters"> {
  /** JSON Schema of the arguments; they are checked before the handler runs. */
  readonly parameters: object;
}

/** The context of a call, which a handler gets besides its arguments. */
export interface ToolCallContext {
  readonly callId: string;
  /** Aborted when the agent cancels the call, its window is gone, or the call times out. */
  readonly signal: AbortSignal;
  /** The call's position in a trace, if any: the handler's own requests may continue it. */
  readonly trace?: TraceContext | undefined;
  /** Reports progress to an agent that supports it. Each value must be greater than the one before. */
  progress(progress: number, total?: number, message?: string): void;
}

/** Runs a tool. Returns, or resolves with, a JSON value; the agent receives a thrown error. */
export type ToolCallHandler<Arguments extends object = JsonObject> = (
  args: Arguments,
  context: ToolCallContext,
) => unknown;

/** How a message is injected. */
export interface MessageInjectionOptions {
  /** Sends it at once, instead of leaving it to the user. */
  readonly autoSend?: boolean;
}
