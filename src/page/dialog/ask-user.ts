import type { JsonObject } from "../../wire/index.ts";
import { createFields } from "./field.ts";
import { openDialog } from "./open-dialog.ts";

/** Asks for the fields of an elicitation. Closing the dialog is "cancel". */
export async function askUser(parameters: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const { message, requestedSchema } = parameters;
  const fields = createFields(requestedSchema);
  const action = await openDialog({
    title: "A question for you",
    message: typeof message === "string" ? message : "The agent has a question.",
    about: typeof message === "string" ? message : undefined,
    body: fields.elements,
    accept: "Send",
    decline: "Decline",
    signal,
  });
  return action === "accept" ? { action, content: fields.content() } : { action };
}
