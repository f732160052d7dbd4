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

/** What a handler is given beside its input. */
export interface CallContext {
  readonly callId: string;
  readonly agent: CallerInfo;
  /** Aborted when the caller cancels, goes away, or the time is up. */
  readonly signal: AbortSignal;
  /** When the call must be done, on the clock of `Date.now()`. */
  readonly deadline: number;
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
  progress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: Json, logger?: string): void;
  ask(method: AskMethod, parameters: JsonObject): Promise<JsonObject>;
}
