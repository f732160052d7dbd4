import { withId } from "./messages.ts";
import type { Entry } from "./messages.ts";
import type { AiToolCallState, AiTool } from "./types.ts";

/** Max length of a tool's text when it is stored, compared and shown. */
const MAX_CHARACTERS = 4096;

/** A tool's title, description and schema as a user reads them, up to 4,096 characters. */
export function toolText({ description, parameters, annotations = {} }: AiTool): string {
  const hints = Object.entries(annotations).map(([name, value]) => `\n${name}: ${JSON.stringify(value)}`);
  return `${description}\n\n${JSON.stringify(parameters, undefined, 2)}${hints.join("")}`.slice(0, MAX_CHARACTERS);
}

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
