// Code that a page loads only when it is needed.
import { loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { LoadValidator, MakeCalls, ValidateJson } from "../toolbox/index.ts";
import type { CallRunner, CallRunnerOptions } from "./call-runner.ts";
import type { Refusal } from "./connection.ts";
import type { Dialog } from "./dialog/dialog.ts";

/** What runs calls. A page without a hub never needs it. */
export interface CallsPart {
  readonly makeCalls: MakeCalls;
  createCallRunner(options: CallRunnerOptions): CallRunner;
}

/** Finds out what keeps the hub out of reach, if it is not the hub. */
export interface UnreachablePart {
  whyUnreachable(hub: string): Promise<Refusal | undefined>;
}

/** The module that `loadJsonSchemaValidator` imports, as a script tag loads it. */
export interface ValidatorPart {
  readonly jsonSchemaValidator: ValidateJson;
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
