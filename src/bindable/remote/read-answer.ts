import { messageOf } from "../../wire/index.ts";
import type { Outcome } from "./client-calls.ts";
import { copyJson } from "./copy-json.ts";
import type { ServerMessage } from "./messages.ts";
import { remoteError, reviveError } from "./remote-error.ts";

/** How a call ended, as the server says; where it says nothing sound, that is how it ended. */
export function readAnswer(answer: Extract<ServerMessage, { type: "return" | "throw" }>): Outcome {
  try {
    if (answer.type === "return") return Object.hasOwn(answer, "value") ? { value: copyJson(answer.value) } : {};
    // What was thrown may be no error, such as an answer's status.
    return { error: reviveError(answer.error) ?? copyJson(answer.error) };
  } catch (error) {
    const text = `The answer to a call cannot be read: ${messageOf(error)}.`;
    return { error: remoteError("WC_BINDABLE_PROTOCOL_ERROR", text) };
  }
}
