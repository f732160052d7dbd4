import type { JsonObject, ToolAnnotations, TraceContext } from "../wire/index.ts";

/** A tool as the parent tells the agent's window of it. */
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

/** What a handler is given beside its arguments. */
export interface ToolCallContext {
  readonly callId: string;
  /** Aborted when the agent cancels the call, its window is gone, or the time is up. */
  readonly signal: AbortSignal;
  /** Where the call is in a trace, if in any: what the handler requests of others may go on with it. */
  readonly trace?: TraceContext | undefined;
  /** Tells the agent how far the work is, where it can take that. Each value must be greater than the one before. */
  progress(progress: number, total?: number, message?: string): void;
}

/** Runs a tool. Returns, or resolves with, what JSON can say; what it throws is told to the agent. */
export type ToolCallHandler<Arguments extends object = JsonObject> = (
  args: Arguments,
  context: ToolCallContext,
) => unknown;

/** How a message is injected. */
export interface MessageInjectionOptions {
  /** Sends it at once, instead of leaving it to the user. */
  readonly autoSend?: boolean;
}
