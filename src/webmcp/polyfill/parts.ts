// What is loaded when it is first needed: bundlers find it in one way, a script tag in another.
import type { LoadValidator } from "../../toolbox/index.ts";

export interface Parts {
  /** What compares the input of a tool with its schema. */
  readonly validator: LoadValidator;
  /** What fills and submits forms. */
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
