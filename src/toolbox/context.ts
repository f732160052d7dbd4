import type { AskMethod, Json, JsonObject, LogLevel } from "../wire/index.ts";

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

/** What a handler is given beside its input. */
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
  readonly deadline: number;
  /** What the caller can be asked, by MCP's names. */
  readonly asks: readonly AskMethod[];
  /** Whether the caller takes a result that asks for input, and calls again with the answers. */
  readonly rounds: boolean;
  /** What the caller brings along where it calls again. */
  readonly input?: CallInput | undefined;
  progress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: Json, logger?: string): void;
  /** Asks the caller where it takes such a question, else the user in the page. */
  ask(method: AskMethod, parameters: JsonObject): Promise<JsonObject>;
}
