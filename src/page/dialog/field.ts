import { isJsonObject } from "../../wire/index.ts";
import type { Json } from "../../wire/index.ts";
import { choicesIn, manyChoicesControl, oneChoiceControl } from "./choice-control.ts";
import type { Control, Property } from "./control.ts";
import { checkboxControl, numberControl, textControl } from "./input-control.ts";

/** One field of a question's form: a control with its caption. */
export interface Field extends Control {
  readonly name: string;
}

/** Makes the field for one property of an elicitation's schema: text, number, yes or no, or a choice. */
export function createField(name: string, property: Property): Field {
  const { title, description } = property.schema;
  const { element: control, value } = controlFor(property);
  const label = document.createElement("label");
  label.append(captionOf("span", textOf(title) ?? name));
  const hint = textOf(description);
  if (hint !== undefined) label.append(captionOf("small", hint));
  label.append(control);
  return { name, element: label, value };
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
  caption.textContent = text;
  return caption;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
