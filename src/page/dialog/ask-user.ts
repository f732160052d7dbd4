import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { createField } from "./field.ts";
import type { Field } from "./field.ts";
import { openDialog } from "./open-dialog.ts";

/** Asks for the fields of an elicitation. Closing the dialog is "cancel". */
export async function askUser(parameters: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const { message, requestedSchema } = parameters;
  const fields = fieldsOf(requestedSchema);
  const action = await openDialog({
    title: "A question for you",
    message: typeof message === "string" ? message : "The agent has a question.",
    about: typeof message === "string" ? message : undefined,
    body: fields.map(({ element }) => element),
    accept: "Send",
    decline: "Decline",
    signal,
  });
  if (action !== "accept") return { action };
  const content: Record<string, Json> = {};
  for (const { name, value } of fields) {
    const given = value();
    if (given !== undefined) content[name] = given;
  }
  return { action, content };
}

function fieldsOf(schema: Json | undefined): readonly Field[] {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(schema["properties"]).map(([name, property]) =>
    createField(name, { schema: isJsonObject(property) ? property : {}, isRequired: required.includes(name) }),
  );
}
