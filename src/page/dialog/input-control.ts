import type { JsonObject } from "../../wire/index.ts";
import type { Control, Property } from "./control.ts";

/** A box to tick. */
export function checkboxControl({ schema }: Property): Control {
  const input = inputOf("checkbox");
  input.checked = schema["default"] === true;
  return { element: input, value: () => input.checked };
}

/** A field for a number, whole or not. */
export function numberControl({ schema, isRequired }: Property): Control {
  const input = inputOf("number");
  const { minimum, maximum, default: preset } = schema;
  input.required = isRequired;
  input.step = schema["type"] === "integer" ? "1" : "any";
  if (typeof minimum === "number") input.min = String(minimum);
  if (typeof maximum === "number") input.max = String(maximum);
  if (typeof preset === "number") input.value = String(preset);
  return { element: input, value: () => (input.value === "" ? undefined : input.valueAsNumber) };
}

/** The fields that browsers have for the formats of JSON Schema. */
const inputTypes = new Map<unknown, string>([
  ["email", "email"],
  ["uri", "url"],
  ["date", "date"],
  ["date-time", "datetime-local"],
]);

/** A field for text, or for the kinds of text that browsers have fields for. */
export function textControl({ schema, isRequired }: Property): Control {
  const type = inputTypes.get(schema["format"]) ?? "text";
  const input = inputOf(type);
  const isTime = type === "datetime-local";
  limitText(input, schema);
  input.required = isRequired;
  const { default: preset } = schema;
  if (typeof preset === "string") input.value = isTime ? localTime(preset) : preset;
  return {
    element: input,
    value() {
      if (input.value === "" && !isRequired) return undefined;
      return isTime ? new Date(input.value).toISOString() : input.value;
    },
  };
}

function limitText(input: HTMLInputElement, { minLength, maxLength, pattern }: JsonObject): void {
  if (typeof minLength === "number") input.minLength = minLength;
  if (typeof maxLength === "number") input.maxLength = maxLength;
  // A schema's pattern may match anywhere in the text, a field's must match all of it.
  if (typeof pattern === "string") input.pattern = `.*(?:${pattern}).*`;
}

/** A time as the field for it wants it: on this computer's clock, to the minute. */
function localTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function inputOf(type: string): HTMLInputElement {
  const input = document.createElement("input");
  input.type = type;
  return input;
}
