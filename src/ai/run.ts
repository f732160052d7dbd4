import type { Answer } from "./answer.ts";
import type { CoreState, CoreValues } from "./core-state.ts";
import type { Entry } from "./messages.ts";
import type { IAiProvider } from "./provider.ts";
import type { AiMessage, AiRequestOptions, AiTool, AiToolCallState, AiToolDecision, AiToolHandler } from "./types.ts";

/** A core's state for the tools of all its sends. */
export interface ToolDesk {
  /** The calls that wait for the user, by id. */
  readonly waiting: Map<string, (decision: AiToolDecision) => void>;
  /** The user's lasting decisions, by the tool's name and origin: the tool as it was allowed. */
  readonly decisions: Map<string, AiTool | "never">;
  handlerOf(name: string): AiToolHandler | undefined;
}

/** One send, while it lasts. Once its signal is aborted, nothing that it still does is listened to. */
export interface Run {
  readonly desk: ToolDesk;
  readonly state: CoreState;
  readonly options: AiRequestOptions;
  readonly signal: AbortSignal;
  loadProvider(): Promise<IAiProvider>;
  /** The answer that is not a message yet. */
  answer?: Answer | undefined;
  /** The calls of this round whose results have not been sent to the model. */
  open?: readonly AiToolCallState[] | undefined;
  /** Adds finished messages to the conversation; throws where it was stopped. */
  add(...messages: readonly Entry[]): void;
  /** The ids of the messages that it has added. */
  readonly added: ReadonlySet<string>;
  /** The values to restore when it ends without an answer. */
  undo(): Partial<CoreValues>;
}

/** The request to a provider, and a listener for the parts of the answer besides its text. */
export interface Asked {
  readonly messages: readonly AiMessage[];
  readonly options: AiRequestOptions;
  show?(answer: Answer): Partial<CoreValues>;
  /** Receives the answer as its provider sent it: each event, or the whole. */
  watch?(data: string): void;
}

/** Sends the request, with as many retries as the options allow. */
export type Ask = (asked: Asked) => Promise<Answer>;
