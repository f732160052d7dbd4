// Modules that are loaded on demand: bundlers resolve them in one way, a script tag in another.
import type { LoadValidator } from "../../toolbox/index.ts";

export interface Parts {
  /** Validates a tool's input against its schema. */
  readonly validator: LoadValidator;
  /** Fills and submits forms. */
  formCall(): Promise<typeof import("./forms/form-call.ts")>;
}

let parts: Parts | undefined;

export function setParts(given: Parts): void {
  parts = given;
}

export function getParts(): Parts {
  if (!parts) throw new Error("The polyfill is not installed.");
  return parts;
}
