import type { CallerInfo, LocalToolbox } from "../../../toolbox/index.ts";
import type { Json, ToolAnnotations } from "../../../wire/index.ts";

/** What an action's handler is given beside its input. */
export interface ActionContext {
  /** Aborted when the caller cancels, disconnects or times out. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** What the calling program calls itself. */
  readonly agent: CallerInfo;
  /** The address of the hub that the call came through; undefined where the action was registered without its page. */
  readonly hub: string | undefined;
  /** Reports progress to the caller. */
  progress(progress: number, total?: number, message?: string): void;
  /** Sends the caller a piece of the result while the rest is still to come. */
  chunk(delta: string): void;
}

/**
 * Does what an action is for. Returns what a tool may return, a promise of it, or an async iterator, whose texts are the
 * result's pieces as they come and whose return value is the result. An iterator's `return()` is called when the call
 * ends before it does.
 */
export type ActionHandler = (input: Record<string, unknown>, context: ActionContext) => unknown;

/** Where an action is registered: a page, or its toolbox. */
export type ActionPlace = Pick<LocalToolbox, "registerTool"> & { readonly hub?: string };

export interface ActionOptions {
  readonly title?: string;
  readonly description?: string;
  /** What the handler is given, as a JSON Schema; any object by default. */
  readonly inputSchema?: Readonly<Record<string, Json>>;
  readonly annotations?: ToolAnnotations;
  /** How long a call from a terminal may take when its program does not say, in milliseconds. */
  readonly callTime?: number;
  /** Who may call it: every agent, as by default, or the programs of a terminal only. */
  readonly agents?: "terminal" | "all";
  /** Removes the action when it aborts. */
  readonly signal?: AbortSignal;
  /** Where to register it; by default the page that this document connected last. */
  readonly toolbox?: ActionPlace;
}

/** An action with its options, ready to be registered. */
export interface Action {
  readonly name: string;
  readonly handler: ActionHandler;
  readonly options: ActionOptions;
}
