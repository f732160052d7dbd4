// Modules loaded on demand: bundlers find them one way, a script tag another.
import type { LoadValidator } from "../../toolbox/index.ts";

export interface Parts {
  /** Checks a tool's input against its schema. */
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
