import type { JsonObject } from "../../../wire/index.ts";
import { formParameters } from "./form-parameters.ts";
import type { Parameter } from "./form-parameters.ts";

const minutes = "([01][0-9]|2[0-3]):[0-5][0-9]";
const days = "[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}";

/** The schema of a field that is filled with text or a number. */
function inputSchema(control: HTMLInputElement | HTMLTextAreaElement): JsonObject {
  if (control.type === "textarea") return { type: "string" };
  const input = control as HTMLInputElement;
  if (/^(number|range)$/.test(input.type)) return numberSchema(input);
  const format = formatOf(input);
  return { type: "string", ...(format === undefined ? pattern(input) : { format }) };
}

function formatOf(input: HTMLInputElement): string | undefined {
  switch (input.type) {
    case "date":
      return "date";
    case "month":
      return "^[0-9]{4}-(0[1-9]|1[0-2])$";
    case "week":
      return "^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$";
    case "time":
      return `^${minutes}${seconds(input)}$`;
    case "datetime-local":
      return `^${days}T${minutes}${seconds(input)}$`;
    case "color":
      return "^#[0-9a-zA-Z]{6}$";
    default:
      return undefined;
  }
}

/** The pattern after the minutes, by the step in seconds. */
function seconds(input: HTMLInputElement): string {
  const step = stepOf(input, 60);
  if (step >= 60) return "";
  return step < 1 ? "(:[0-5][0-9](\\.[0-9]{1,3})?)?" : "(:[0-5][0-9])?";
}

function numberSchema(input: HTMLInputElement): JsonObject {
  const isRange = input.type === "range";
  const minimum = numberIn(input, "min") ?? (isRange ? 0 : undefined);
  const given = numberIn(input, "max") ?? (isRange ? 100 : undefined);
  const maximum = isRange ? Math.max(minimum ?? 0, given ?? 0) : given;
  const step = stepOf(input, 1);
  const steps = (numberIn(input, "min") ?? numberIn(input, "value") ?? 0) / step;
  // Steps count from a base, but multiples count from zero. Binary fractions are inexact.
  const isMultiple = Math.abs(steps - Math.round(steps)) < 1e-9 && Number.isFinite(step);
  return {
    type: "number",
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(isMultiple && { multipleOf: step }),
    ...(isRange ? {} : pattern(input)),
  };
}

/** Infinity if any value is allowed and the field's type supports that. */
function stepOf(input: HTMLInputElement, usual: number): number {
  const isAny = /^any$/i.test(input.step) && input.type !== "range";
  const step = numberIn(input, "step") ?? 0;
  return isAny ? Infinity : step > 0 ? step : usual;
}

/** A number in HTML's syntax, without spaces and plus signs. */
function numberIn(input: HTMLInputElement, attribute: string): number | undefined {
  const text = input.getAttribute(attribute) ?? "";
  const number = /^-?(\d+|\d*\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Infinity;
  // Turns -0 into 0.
  return Number.isFinite(number) ? number + 0 : undefined;
}

/** Browsers ignore invalid patterns. */
function pattern(input: HTMLInputElement): JsonObject {
  const source = input.getAttribute("pattern");
  try {
    return source === null || !RegExp(source, "v") ? {} : { pattern: source };
  } catch {
    return {};
  }
}

interface Choice {
  readonly value: string;
  readonly title?: string;
}

/** The schema of a form's parameters, exactly as Chromium 156 generates it. */
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

/** A parameter's description: from its control or labels, or from the fieldset that contains its controls. */
function parameterDescription(controls: readonly HTMLElement[]): string | null | undefined {
  const [control, ...others] = controls;
  if (!control) return undefined;
  if (others.length === 0) {
    return (
      control.getAttribute("toolparamdescription") || labelText(control) || control.getAttribute("aria-description")
    );
  }
  const [fieldset, ...more] = new Set(controls.map((each) => each.closest("fieldset")));
  return more.length === 0 ? fieldset?.getAttribute("toolparamdescription") : undefined;
}

/** The text of a control's labels, without the text of controls inside them. */
function labelText(control: HTMLElement): string {
  const { labels } = control as HTMLInputElement;
  return Array.from(labels ?? [], (label) => textIn(label).trim()).join("; ");
}

function textIn(node: Node): string {
  if (node instanceof Text) return node.data;
  if (node instanceof Element && node.matches("button, input, meter, output, progress, select, textarea")) return "";
  return Array.from(node.childNodes, textIn).join("");
}
