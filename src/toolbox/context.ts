import type { AskMethod, Json, JsonObject, LogLevel, Meta, TraceContext } from "../wire/index.ts";

/** Which agent's program made a call, in its own words. */
export interface CallerInfo {
  readonly name: string;
  readonly version?: string | undefined;
}

export interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}

/** A question to the user: a sentence, and a flat JSON Schema of the fields to fill in. */
export interface Question {
  readonly message: string;
  readonly requestedSchema?: JsonObject;
}

/** The answers that a handler requested by returning an `InputRequired`, for its next run. */
export interface CallInput {
  /** The answers by the handler's own keys: MCP's results, unchanged. */
  readonly responses: JsonObject;
  /** The handler's `requestState`. */
  readonly state?: string;
}

/** A handler's second argument. */
export interface CallContext {
  readonly callId: string;
  readonly agent: CallerInfo;
  /** Aborted when the caller cancels or disconnects, or at the deadline. */
  readonly signal: AbortSignal;
  /** When the call must be done, on the clock of `Date.now()`. */
  readonly deadline: number;
  /**
   * The questions that the calling agent supports, by MCP's names. `ask()` works without: the page asks its user then.
   */
  readonly asks: readonly AskMethod[];
  /** Set when the call is repeated with the answers that the handler requested by returning an `InputRequired`. */
  readonly input?: CallInput;
  /** The call's place in its caller's trace, if any: pass it on with the handler's own requests. */
  readonly trace?: TraceContext | undefined;
  /** Reports progress to the caller. Each value must be greater than the one before; others are dropped. */
  progress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: Json, logger?: string): void;
  /** Asks the user: through the calling agent if it supports that, otherwise in the page. */
  ask(question: Question): Promise<Answer>;
  /** Asks the calling agent's model; parameters and answer are MCP's `sampling/createMessage`. */
  sample(parameters: JsonObject): Promise<JsonObject>;
}

/** Supplied by whichever part runs a call; the toolbox makes the handler's context from it. */
export interface CallEnvironment {
  readonly callId: string;
  readonly agent: CallerInfo;
  readonly signal: AbortSignal;
  /**
   * Whether the call has ended; for callers that end a call themselves and create its signal only when it is needed.
   * The toolbox then ignores the signal, and `ask` must reject when the call ends.
   */
  readonly isOver?: boolean;
  readonly deadline: number;
  /** The questions that the caller supports, by MCP's names. */
  readonly asks: readonly AskMethod[];
  /** Whether the caller accepts a result that asks for input, and calls again with the answers. */
  readonly rounds: boolean;
  /** The answers, if the caller calls again. */
  readonly input?: CallInput | undefined;
  readonly trace?: TraceContext | undefined;
  progress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: Json, logger?: string): void;
  /** Asks the caller if it supports such a question, otherwise the user of the page. */
  ask(method: AskMethod, parameters: JsonObject): Promise<JsonObject>;
}

/** One question in MCP's form. `params` may only be left out of "roots/list". */
export interface InputRequest {
  readonly method: AskMethod;
  readonly params?: JsonObject;
}

/**
 * A handler of a tool, resource or prompt may return this instead of its answer: MCP's own result for "ask this first".
 * The handler then runs again, with the same input and with `context.input`. It has questions, a state, or both. If an
 * output schema defines the handler's type, append `satisfies InputRequired`.
 */
export interface InputRequired {
  readonly resultType: "input_required";
  /** By a key of the handler's choice; the answers come under the same keys. */
  readonly inputRequests?: { readonly [key: string]: InputRequest };
  /** Returned as `context.input.state`. The caller may have seen or changed it: trust it as much as the caller. */
  readonly requestState?: string;
  readonly _meta?: Meta;
}

/** A part of a text, and whether the other version differs there. */
export interface TextPiece {
  readonly text: string;
  readonly differs?: true;
}

/** A tool's description when its user allowed it, and now. */
export interface ToolChange {
  readonly before: readonly TextPiece[];
  readonly after: readonly TextPiece[];
}

/** One use of a tool for the user to allow, shown with the exact arguments that it will run with. */
export interface ApprovalRequest {
  /** The call that waits, where it is known. */
  readonly callId?: string;
  readonly tool: string;
  readonly title?: string;
  /** The tool's own description, as its page wrote it. */
  readonly description?: string;
  /** The tool says of itself that it may delete or overwrite something. */
  readonly destructive?: true;
  /** The tool's origin, if it is not the asking page's own. */
  readonly origin?: string;
  readonly arguments: JsonObject;
  readonly agent: CallerInfo;
  /** Why the user is asked: the tool may be destructive, or reaches another origin. */
  readonly reason: string;
  /** Other origins that contributed text to the conversation, which may have caused the call. */
  readonly textFrom?: readonly string[];
  /** Set if the user has allowed the tool before, and its description has changed since. */
  readonly changed?: ToolChange;
  /** The decision applies to this one call, even if it is `always`. */
  readonly once?: true;
}

/** The scope of a user's consent. `always` applies only to the tool's current definition. */
export type ApprovalDecision =
  | { readonly approved: true; readonly scope: "once" | "session" | "always" }
  | { readonly approved: false; readonly scope: "once" | "always" };

/** Asks a user. Never rejects; no answer is a refusal. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecision>;
