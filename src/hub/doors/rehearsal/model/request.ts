// What the rehearsal model is asked and what it says, whichever wire format carries it.
import type { ValidateJson } from "../../../../toolbox/index.ts";
import type { JsonObject } from "../../../../wire/index.ts";

export interface RehearsalTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

export interface RehearsalCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface RehearsalResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
}

export type RehearsalMessage =
  | { readonly role: "user"; readonly text: string; readonly images: readonly string[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly RehearsalCall[] }
  | { readonly role: "tool"; readonly results: readonly RehearsalResult[] };

export type RehearsalChoice = "auto" | "none" | "required" | { readonly name: string };

export interface RehearsalRequest {
  readonly system: string;
  readonly messages: readonly RehearsalMessage[];
  readonly tools: readonly RehearsalTool[];
  readonly toolChoice: RehearsalChoice;
  /** Whether more than one tool may be called in one turn. */
  readonly parallel: boolean;
  /** The answer must be JSON of this schema. */
  readonly responseSchema?: JsonObject;
  readonly maxTokens?: number;
  readonly stop: readonly string[];
}

export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

export interface RehearsalTurn {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
  readonly finish: "stop" | "length" | "tool_use";
  /** The stop sequence that ended the text. */
  readonly stoppedBy?: string;
  readonly usage: { readonly prompt: number; readonly completion: number };
}

/** All that an answer depends on beside the request. */
export interface RehearsalWorld {
  /** The date, as `2026-03-14`. */
  readonly today: string;
  readonly validate: ValidateJson;
}
