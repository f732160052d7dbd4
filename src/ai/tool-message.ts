import { withId } from "./messages.ts";
import type { Entry } from "./messages.ts";
import type { AiToolCallState } from "./types.ts";

/** The tool message for the model; a call without a result was stopped. */
export function toolMessage({ id, status, result = failureText(stopped(status)), origin }: AiToolCallState): Entry {
  const ended = status === "failed" || status === "refused" ? status : "stopped";
  return withId({
    role: "tool",
    content: result,
    toolCallId: id,
    ...(origin !== undefined && { origin }),
    ...(status !== "done" && { toolStatus: ended }),
  });
}

function stopped(status: AiToolCallState["status"]): string {
  if (status !== "running") return "It was stopped before it ran.";
  return "It was stopped while it ran: whether it did anything is not known. Look before you call it again.";
}

/** The text for the model of a failed call. */
export function failureText(error: string): string {
  return JSON.stringify({ error });
}
