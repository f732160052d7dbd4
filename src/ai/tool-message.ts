import { withId } from "./messages.ts";
import type { Entry } from "./messages.ts";
import type { AiToolCallState } from "./types.ts";

/** What the model is told of a call; one that has no result was stopped. */
export function toolMessage({
  id,
  result = failureText("It was stopped before it was done."),
}: AiToolCallState): Entry {
  return withId({ role: "tool", content: result, toolCallId: id });
}

/** How a model is told that a call failed. */
export function failureText(error: string): string {
  return JSON.stringify({ error });
}
