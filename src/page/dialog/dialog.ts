import type { Approve } from "../../toolbox/index.ts";
import type { JsonObject } from "../../wire/index.ts";

/** Asks the person in front of the page. */
export interface Dialog {
  /** Asks for the fields of an elicitation; the answer is an elicitation's answer. */
  askUser(parameters: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  readonly approve: Approve;
}
