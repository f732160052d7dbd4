import type { Json, JsonObject } from "../../wire/index.ts";

/** What a person fills in. */
export interface Control {
  readonly element: HTMLElement;
  /** What was entered; undefined for an optional field that was left empty. */
  value(): Json | undefined;
}

/** One property of an elicitation's schema. */
export interface Property {
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}
