import type { AskMethod, Json, JsonObject, LogLevel, Meta, TraceContext } from "../wire/index.ts";

/** Which agent's program made a call, in its own words. */
export interface CallerInfo {
  readonly name: string;
  readonly version?: string | undefined;
}

/** The answer to an elicitation. */
export interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}

/** A question to the user: a sentence, and a flat JSON Schema of the fields to fill in. */
export interface Question {
  readonly message: string;
  readonly requestedSchema?: JsonObject;
}

/** What a handler asked for by returning an `InputRequired`, given when it runs again. */
export interface CallInput {
  /** The answers by the handler's own keys: MCP's results, as whoever was asked gave them. */
  readonly responses: JsonObject;
  /** The handler's `requestState`. */
  readonly state?: string;
}

/** A handler's second argument. */
export interface CallContext {
  readonly callId: string;
  readonly agent: CallerInfo;
  /** Aborted when the caller cancels, goes away, or the time is up. */
  readonly signal: AbortSignal;
  /** When the call must be done, on the clock of `Date.now()`. */
  readonly deadline: number;
  /** What the calling agent can be asked, by MCP's names. `ask()` works without: the user is asked in the page then. */
  readonly asks: readonly AskMethod[];
  /** Set when the call comes again with answers to what the handler asked for by returning an `InputRequired`. */
  readonly input?: CallInput;
  /** Where the call is in its caller's trace, if in any: what the handler requests of others may go on with it. */
  readonly trace?: TraceContext | undefined;
  /** Tells the caller how far the work is. Each value must be greater than the one before; others are dropped. */
  progress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: Json, logger?: string): void;
  /** Asks the user: through the calling agent where it can, else in the page. */
  ask(question: Question): Promise<Answer>;
  /** Asks the calling agent's model; parameters and answer are MCP's `sampling/createMessage`. */
  sample(parameters: JsonObject): Promise<JsonObject>;
}

/** What whoever runs a call supplies; the toolbox makes the handler's context from it. */
export interface CallEnvironment {
  readonly callId: string;
  readonly agent: CallerInfo;
  readonly signal: AbortSignal;
  /**
   * Whether the call has ended; for callers that end a call by themselves and make its signal when it is first needed.
   * The toolbox then leaves the signal alone, and `ask` has to reject at the end.
   */
  readonly isOver?: boolean;
  readonly deadline: number;
  /** What the caller can be asked, by MCP's names. */
  readonly asks: readonly AskMethod[];
  /** Whether the caller takes a result that asks for input, and calls again with the answers. */
  readonly rounds: boolean;
  /** What the caller brings along where it calls again. */
  readonly input?: CallInput | undefined;
  readonly trace?: TraceContext | undefined;
  progress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: Json, logger?: string): void;
  /** Asks the caller where it takes such a question, else the user in the page. */
  ask(method: AskMethod, parameters: JsonObject): Promise<JsonObject>;
}

/** One question in MCP's form. `params` may only be left out of "roots/list". */
export interface InputRequest {
  readonly method: AskMethod;
  readonly params?: JsonObject;
}

/**
 * What a handler of a tool, resource or prompt may return instead of its answer: MCP's own result for "ask this first".
 * The handler then runs again, with the same input and with `context.input`. It holds questions, a state, or both.
 * Where an output schema gives the handler its type, say `satisfies InputRequired` behind it.
 */
export interface InputRequired {
  readonly resultType: "input_required";
  /** By a key of the handler's choice; the answers come under the same keys. */
  readonly inputRequests?: { readonly [key: string]: InputRequest };
  /** Handed back as `context.input.state`. It may have been through the caller's hands: trust it as you trust the caller. */
  readonly requestState?: string;
  readonly _meta?: Meta;
}

/** A part of a text, with whether the text beside it has other words there. */
export interface TextPiece {
  readonly text: string;
  readonly differs?: true;
}

/** What a tool said of itself when its user allowed it, and what it says now. */
export interface ToolChange {
  readonly before: readonly TextPiece[];
  readonly after: readonly TextPiece[];
}

/** One thing that a user is asked to allow, shown with exactly the arguments it will run with. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly title?: string;
  /** Whose tool it is, where it is not the asking page's own. */
  readonly origin?: string;
  readonly arguments: JsonObject;
  readonly agent: CallerInfo;
  /** Why it is asked: the tool may destroy something, or reaches another origin. */
  readonly reason: string;
  /** The origins, other than the tool's, that wrote something in the conversation: it may be what has the tool called. */
  readonly textFrom?: readonly string[];
  /** Given where the user has allowed the tool before, and it says something else of itself now. */
  readonly changed?: ToolChange;
  /** However far the decision goes: it counts for this one call. */
  readonly once?: true;
}

/** How far a user's consent goes. `always` holds for the tool's present definition only. */
export type ApprovalDecision =
  | { readonly approved: true; readonly scope: "once" | "session" | "always" }
  | { readonly approved: false; readonly scope: "once" | "always" };

/** Asks a user. Rejects never; no answer is a refusal. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecision>;
