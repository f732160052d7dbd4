import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

/** One field of a question's form. */
export interface Field {
  readonly name: string;
  readonly element: HTMLElement;
  /** What was entered; undefined for an empty optional field. */
  value(): Json | undefined;
}

/** Makes the field for one property of an elicitation's schema: text, number, yes or no, or a choice. */
export function createField(name: string, property: JsonObject, required: boolean): Field {
  const label = document.createElement("label");
  const caption = document.createElement("span");
  caption.textContent = textOf(property["title"]) ?? name;
  label.append(caption);
  const description = textOf(property["description"]);
  if (description) {
    const hint = document.createElement("small");
    hint.textContent = description;
    label.append(hint);
  }
  const { control, value } = controlFor(property, required);
  label.append(control);
  return { name, element: label, value };
}

interface Control {
  readonly control: HTMLElement;
  value(): Json | undefined;
}

function controlFor(property: JsonObject, required: boolean): Control {
  const items = property["items"];
  if (property["type"] === "array" && isJsonObject(items))
    return choice(optionsOf(items), { property, required, multiple: true });
  const options = optionsOf(property);
  if (options.length > 0) return choice(options, { property, required, multiple: false });
  if (property["type"] === "boolean") return checkbox(property);
  return property["type"] === "number" || property["type"] === "integer"
    ? numeric(property, required)
    : textual(property, required);
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The choices of a property, in each of the forms that the protocol knows. */
function optionsOf(property: JsonObject): readonly Choice[] {
  const titled = property["oneOf"] ?? property["anyOf"];
  if (Array.isArray(titled)) {
    return titled
      .filter(isJsonObject)
      .map((one) => ({ value: String(one["const"]), title: textOf(one["title"]) ?? String(one["const"]) }));
  }
  const values = Array.isArray(property["enum"]) ? property["enum"] : [];
  const names = Array.isArray(property["enumNames"]) ? property["enumNames"] : [];
  return values.map((value, index) => ({ value: String(value), title: textOf(names[index]) ?? String(value) }));
}

function choice(
  options: readonly Choice[],
  how: { property: JsonObject; required: boolean; multiple: boolean },
): Control {
  const select = document.createElement("select");
  const preset = [how.property["default"] ?? []].flat().map(String);
  select.multiple = how.multiple;
  select.required = how.required;
  if (!how.multiple && !how.required) select.append(new Option("", ""));
  for (const { value, title } of options)
    select.append(new Option(title, value, preset.includes(value), preset.includes(value)));
  const chosen = () => Array.from(select.selectedOptions, (option) => option.value);
  return { control: select, value: () => (how.multiple ? chosen() : select.value === "" ? undefined : select.value) };
}

function checkbox(property: JsonObject): Control {
  const input = document.createElement("input");
  input.type = "checkbox";
  input.checked = property["default"] === true;
  return { control: input, value: () => input.checked };
}

function numeric(property: JsonObject, required: boolean): Control {
  const input = document.createElement("input");
  input.type = "number";
  input.required = required;
  input.step = property["type"] === "integer" ? "1" : "any";
  if (typeof property["minimum"] === "number") input.min = String(property["minimum"]);
  if (typeof property["maximum"] === "number") input.max = String(property["maximum"]);
  if (typeof property["default"] === "number") input.value = String(property["default"]);
  return { control: input, value: () => (input.value === "" ? undefined : input.valueAsNumber) };
}

const inputTypes: Readonly<Record<string, string>> = { email: "email", uri: "url", date: "date" };

function textual(property: JsonObject, required: boolean): Control {
  const input = document.createElement("input");
  input.type = inputTypes[textOf(property["format"]) ?? ""] ?? "text";
  input.required = required;
  if (typeof property["minLength"] === "number") input.minLength = property["minLength"];
  if (typeof property["maxLength"] === "number") input.maxLength = property["maxLength"];
  if (typeof property["default"] === "string") input.value = property["default"];
  return { control: input, value: () => (input.value === "" && !required ? undefined : input.value) };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
