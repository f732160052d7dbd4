import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { Control, Property } from "./control.ts";

/** One of the values to choose from. */
export interface Choice {
  readonly value: Json;
  readonly title: string;
}

/** The choices of a schema, in each of the forms that the protocol knows; none where it has no such form. */
export function choicesIn(schema: JsonObject): readonly Choice[] {
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

/** A list of which one is chosen. Where nothing is preset, nothing is chosen for the person. */
export function oneChoiceControl(choices: readonly Choice[], { schema, isRequired }: Property): Control {
  const preset = choices.findIndex(({ value }) => value === schema["default"]);
  const select = selectOf(choices);
  select.required = isRequired;
  if (preset < 0 || !isRequired) select.prepend(new Option("", ""));
  select.value = preset < 0 ? "" : String(preset);
  return { element: select, value: () => (select.value === "" ? undefined : choices[Number(select.value)]?.value) };
}

/** A list of which several are chosen, within its bounds. */
export function manyChoicesControl(choices: readonly Choice[], { schema, isRequired }: Property): Control {
  const { default: preset, minItems, maxItems } = schema;
  const least = typeof minItems === "number" ? minItems : 0;
  const most = typeof maxItems === "number" ? maxItems : choices.length;
  const select = selectOf(choices);
  select.multiple = true;
  for (const option of select.options) {
    option.selected = Array.isArray(preset) && preset.includes(choices[Number(option.value)]?.value ?? null);
  }
  const value = () => choices.filter((_choice, index) => select.options[index]?.selected).map((choice) => choice.value);
  const isLeftOut = () => !isRequired && value().length === 0;
  const check = () => {
    const isWithin = isLeftOut() || (value().length >= least && value().length <= most);
    select.setCustomValidity(isWithin ? "" : `Choose ${least} to ${most}.`);
  };
  select.addEventListener("change", check);
  check();
  return { element: select, value: () => (isLeftOut() ? undefined : value()) };
}

function selectOf(choices: readonly Choice[]): HTMLSelectElement {
  const select = document.createElement("select");
  select.append(...choices.map(({ title }, index) => new Option(title, String(index))));
  return select;
}
