import { isJsonObject, showInvisible } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

/** A box to tick. */
function checkboxControl({ schema }: Property): Control {
  const input = inputOf("checkbox");
  input.checked = schema["default"] === true;
  return { element: input, value: () => input.checked };
}

/** A field for a number, whole or not. */
function numberControl({ schema, isRequired }: Property): Control {
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
function textControl({ schema, isRequired }: Property): Control {
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

/** Formats a time for a datetime-local field: local time, to the minute. */
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

/** The fields of a question's form. */
interface Fields {
  readonly elements: readonly HTMLElement[];
  /** The values; those that are left empty are missing. */
  content(): JsonObject;
}

/** Makes the fields for an elicitation's schema. */
export function createFields(schema: Json | undefined): Fields {
  const { properties, required }: JsonObject = isJsonObject(schema) ? schema : {};
  const controls = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([name, property]) =>
      [
        name,
        createField(name, {
          schema: isJsonObject(property) ? property : {},
          isRequired: Array.isArray(required) && required.includes(name),
        }),
      ] as const,
  );
  return {
    elements: controls.map(([, { element }]) => element),
    content() {
      const values = controls.map(([name, { value }]) => [name, value()] as const);
      return Object.fromEntries(values.filter((pair): pair is [string, Json] => pair[1] !== undefined));
    },
  };
}

/** Makes the field for one property of an elicitation's schema: text, number, yes or no, or a choice. */
function createField(name: string, property: Property): Control {
  const { title, description } = property.schema;
  const { element: control, value } = controlFor(property);
  const label = document.createElement("label");
  label.append(captionOf("span", textOf(title) ?? name));
  const hint = textOf(description);
  if (hint !== undefined) label.append(captionOf("small", hint));
  label.append(control);
  return { element: label, value };
}

function controlFor(property: Property): Control {
  const { type, items } = property.schema;
  if (type === "array" && isJsonObject(items)) return manyChoicesControl(choicesIn(items), property);
  const choices = choicesIn(property.schema);
  if (choices.length > 0) return oneChoiceControl(choices, property);
  if (type === "boolean") return checkboxControl(property);
  return type === "number" || type === "integer" ? numberControl(property) : textControl(property);
}

function captionOf(name: "span" | "small", text: string): HTMLElement {
  const caption = document.createElement(name);
  caption.textContent = showInvisible(text);
  return caption;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

interface Control {
  readonly element: HTMLElement;
  /** The value; undefined for an optional field left empty. */
  value(): Json | undefined;
}

/** One property of an elicitation's schema. */
interface Property {
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

interface Choice {
  readonly value: Json;
  readonly title: string;
}

/** The choices of a schema, in any form that MCP allows; empty if it has none. */
function choicesIn(schema: JsonObject): readonly Choice[] {
  const { enum: values, enumNames: names } = schema;
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled)) {
    return titled.filter(isJsonObject).map(({ const: value = null, title }) => choiceOf(value, title));
  }
  if (!Array.isArray(values)) return [];
  return values.map((value, index) => choiceOf(value, Array.isArray(names) ? names[index] : undefined));
}

function choiceOf(value: Json, title: Json | undefined): Choice {
  return {
    value,
    title: typeof title === "string" ? title : typeof value === "string" ? value : JSON.stringify(value),
  };
}

/** A select for one choice. Without a default, nothing is preselected. */
function oneChoiceControl(choices: readonly Choice[], { schema, isRequired }: Property): Control {
  const preset = choices.findIndex(({ value }) => value === schema["default"]);
  const select = selectOf(choices);
  select.required = isRequired;
  if (preset < 0 || !isRequired) select.prepend(new Option("", ""));
  select.value = preset < 0 ? "" : String(preset);
  return { element: select, value: () => (select.value === "" ? undefined : choices[Number(select.value)]?.value) };
}

/** A select for several choices, within the schema's bounds. */
function manyChoicesControl(choices: readonly Choice[], { schema, isRequired }: Property): Control {
  const { default: preset, minItems, maxItems } = schema;
  const minChoices = typeof minItems === "number" ? minItems : 0;
  const maxChoices = typeof maxItems === "number" ? maxItems : choices.length;
  const select = selectOf(choices);
  select.multiple = true;
  for (const option of select.options) {
    option.selected = Array.isArray(preset) && preset.includes(choices[Number(option.value)]?.value ?? null);
  }
  const value = () => choices.filter((_choice, index) => select.options[index]?.selected).map((choice) => choice.value);
  const isLeftOut = () => !isRequired && value().length === 0;
  const check = () => {
    const isWithin = isLeftOut() || (value().length >= minChoices && value().length <= maxChoices);
    select.setCustomValidity(isWithin ? "" : `Choose ${minChoices} to ${maxChoices}.`);
  };
  select.addEventListener("change", check);
  check();
  return { element: select, value: () => (isLeftOut() ? undefined : value()) };
}

function selectOf(choices: readonly Choice[]): HTMLSelectElement {
  const select = document.createElement("select");
  select.append(...choices.map(({ title }, index) => new Option(showInvisible(title), String(index))));
  return select;
}
