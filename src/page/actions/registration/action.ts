import type { CallerInfo, LocalToolbox, Undone } from "../../../toolbox/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { Json, ToolAnnotations } from "../../../wire/index.ts";

/** An action's handler receives this besides its input. */
export interface ActionContext {
  /** Aborted when the caller cancels, disconnects or times out. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The calling program's own name for itself. */
  readonly agent: CallerInfo;
  /** The address of the hub that sent the call; undefined if the action was registered without its page. */
  readonly hub: string | undefined;
  /** Reports progress to the caller. */
  progress(progress: number, total?: number, message?: string): void;
  /** Sends the caller a piece of the result while the rest is still to come. */
  chunk(delta: string): void;
}

/**
 * Runs the action. Returns what a tool may return, a promise of it, or an async iterator: its texts are streamed as
 * pieces of the result, and its return value is the result. An iterator's `return()` is called if the call ends before
 * the iterator does.
 */
export type ActionHandler = (input: Record<string, unknown>, context: ActionContext) => unknown;

export type ActionPlace = Pick<LocalToolbox, "registerTool"> & { readonly hub?: string };

export interface ActionOptions {
  readonly title?: string;
  readonly description?: string;
  /** The handler's input, as a JSON Schema; any object by default. */
  readonly inputSchema?: Readonly<Record<string, Json>>;
  readonly annotations?: ToolAnnotations;
  /** Max milliseconds for a call from a terminal, unless its program sets its own timeout. */
  readonly callTime?: number;
  /** Which agents may call it: all (the default), or only programs in a terminal. */
  readonly agents?: "terminal" | "all";
  /** Removes the action when it aborts. */
  readonly signal?: AbortSignal;
  /** The page to register it on; by default the one that this document connected last. */
  readonly toolbox?: ActionPlace;
}

/** An action with its options, ready to be registered. */
export interface Action {
  readonly name: string;
  readonly handler: ActionHandler;
  readonly options: ActionOptions;
}

/** The refusal of an action that has done nothing: the page's rules, or its user, do not allow it. */
export function actionRefused(message: string): PagewireError {
  return markUndone(new PagewireError("action-refused", message));
}

/** Marks an error of an action that has done nothing; the toolbox then reports that it did not run. */
export function markUndone(error: PagewireError): PagewireError {
  return Object.assign(error, { isUndone: true } satisfies Undone);
}
