import type { JsonObject } from "../../../wire/index.ts";
import { parameterDescription, labelText } from "./form-labels.ts";
import type { Parameter } from "./form-parameters.ts";
import { formParameters } from "./form-parameters.ts";
import { inputSchema } from "./input-schema.ts";

interface Choice {
  readonly value: string;
  readonly title?: string;
}

/** The schema of what a form can be filled with, word for word as Chromium 156 writes it. */
export function formSchema(form: HTMLFormElement): JsonObject {
  const properties: [string, JsonObject][] = [];
  const required: string[] = [];
  for (const [name, parameter] of formParameters(form)) {
    const schema = parameterSchema(parameter);
    if (!schema) continue;
    properties.push([name, schema]);
    if (parameter.controls.some((control) => control.hasAttribute("required"))) required.push(name);
  }
  return { type: "object", properties: Object.fromEntries(properties), required };
}

function parameterSchema(parameter: Parameter): JsonObject | undefined {
  if (parameter.kind === "none") return undefined;
  const schema = withoutDescription(parameter);
  const description = parameterDescription(parameter.controls);
  if (schema["format"] !== "date") return { ...schema, ...(description && { description }) };
  const hint = "Dates MUST be provided in 'YYYY-MM-DD' format.";
  return { ...schema, description: description ? `${description} (${hint})` : hint };
}

function withoutDescription(parameter: Exclude<Parameter, { readonly kind: "none" }>): JsonObject {
  switch (parameter.kind) {
    case "check":
      return { type: "boolean" };
    case "radio":
      return oneOf(parameter.controls.map(labelled));
    case "checks":
      return { type: "array", items: oneOf(parameter.controls.map(labelled)), uniqueItems: true };
    case "select": {
      const choices = parameter.controls.flatMap(({ options }) => Array.from(options, titled));
      const isMany = parameter.controls.some(({ multiple }) => multiple);
      return isMany ? { type: "array", items: oneOf(choices), uniqueItems: true } : oneOf(choices);
    }
    case "text":
      return Object.assign({}, ...parameter.controls.map(inputSchema)) as JsonObject;
  }
}

function oneOf(choices: readonly Choice[]): JsonObject {
  const anyOf = choices.map(({ value, title }) => ({
    type: "string",
    const: value,
    ...(title !== undefined && { title }),
  }));
  return { type: "string", anyOf, enum: choices.map(({ value }) => value) };
}

function labelled(control: HTMLInputElement): Choice {
  const title = labelText(control);
  return { value: control.value, ...(title && { title }) };
}

function titled({ value, textContent }: HTMLOptionElement): Choice {
  return { value, title: textContent };
}
