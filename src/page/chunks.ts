// Code that a page loads only when it is needed.
import { loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { Approve, LoadValidator, MakeCalls } from "../toolbox/index.ts";
import type { JsonObject } from "../wire/index.ts";
import type { CallRunner, CallRunnerOptions } from "./call-runner.ts";
import type { Refusal } from "./connection.ts";

/** Asks the person in front of the page. */
export interface Dialog {
  /** Asks for the fields of an elicitation; the answer is an elicitation's answer. */
  askUser(parameters: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  readonly approve: Approve;
}

/** What runs calls. A page without a hub never needs it. */
export interface CallsPart {
  readonly makeCalls: MakeCalls;
  createCallRunner(options: CallRunnerOptions): CallRunner;
}

/** Finds out what keeps the hub out of reach, if it is not the hub. */
export interface UnreachablePart {
  whyUnreachable(hub: string): Promise<Refusal | undefined>;
}

export interface Chunks {
  readonly calls: () => Promise<CallsPart>;
  readonly validator: LoadValidator;
  readonly dialog: () => Promise<Dialog>;
  readonly unreachable: () => Promise<UnreachablePart>;
}

/** The chunks as a bundler finds them. */
export const packageChunks: Chunks = {
  calls: () => import("./chunks/calls.ts"),
  validator: loadJsonSchemaValidator,
  dialog: () => import("./chunks/dialog.ts"),
  unreachable: () => import("./chunks/unreachable.ts"),
};
