import { failure } from "../failure.ts";
import { formParameters } from "./form-parameters.ts";
import type { Parameter } from "./form-parameters.ts";

type Fill = () => void;

/** Fills a form, in the order of the input. If one value is invalid, nothing is filled. */
export function fillForm(form: HTMLFormElement, input: object): void {
  if (Array.isArray(input)) throw failure("UnknownError", "The input of a form must be an object with its fields.");
  const parameters = formParameters(form);
  const fills = Object.entries(input).map(([name, value]) => {
    const parameter = parameters.get(name);
    const fill = parameter && fillOf(parameter, value);
    if (fill) return fill;
    const reason = parameter
      ? `Invalid value ${JSON.stringify(value)} for parameter ${name}.`
      : `Input contains a parameter "${name}" but there is no such parameter for the tool.`;
    throw failure("UnknownError", reason);
  });
  for (const fill of fills) fill();
}

/** A function that sets the parameter's value; undefined where the value does not fit. */
function fillOf(parameter: Parameter, value: unknown): Fill | undefined {
  const { kind, controls } = parameter;
  if (kind === "checks") {
    const values = listOf(value, controls);
    return values && (() => controls.forEach((control) => setChecked(control, values.includes(control.value))));
  }
  if (kind === "select" && controls.some(({ multiple }) => multiple)) {
    const options = controls.flatMap((select) => [...select.options]);
    const values = listOf(value, options);
    return values && (() => controls.forEach((control) => setSelected(control, values)));
  }
  const text = textOf(value);
  return text === undefined ? undefined : fillWithText(parameter, text);
}

function fillWithText({ kind, controls }: Parameter, text: string): Fill | undefined {
  if (kind === "radio") {
    const chosen = controls.filter(({ value }) => value === text);
    return chosen.length > 0 ? () => chosen.forEach((control) => setChecked(control, true)) : undefined;
  }
  if (kind === "check") {
    const isChecked = /^(true|1)$/i.test(text);
    const isAnswer = isChecked || /^(false|0)$/i.test(text);
    return isAnswer ? () => controls.forEach((control) => setChecked(control, isChecked)) : undefined;
  }
  if (kind === "none" || !controls.every((control) => takes(control, text))) return undefined;
  return () => controls.forEach((control) => setValue(control, text));
}

function listOf(value: unknown, choices: readonly { readonly value: string }[]): readonly unknown[] | undefined {
  const texts = Array.isArray(value) ? value.map(textOf) : undefined;
  return texts?.every((text) => choices.some((choice) => choice.value === text)) ? texts : undefined;
}

function textOf(value: unknown): string | undefined {
  return /string|number|boolean/.test(typeof value) ? `${value as string}` : undefined;
}

/** Whether a control accepts a text: it would clear one that is not a valid option, number or date. */
function takes(control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, text: string): boolean {
  if ("options" in control) return Array.from(control.options).some(({ value }) => value === text);
  const { type } = control;
  if (!/^(number|date|month|week|time|datetime-local)$/.test(type)) return true;
  const probe = Object.assign(document.createElement("input"), { type, value: text });
  return probe.value !== "" || (text === "" && type !== "number");
}

// Sets controls as a browser does, bypassing a page's or framework's overrides, and dispatches events if something
// changed; for a checked control, always.

function setValue(control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, value: string): void {
  const before = control.value;
  setProperty(control, "value", value);
  if (control.value !== before) say(control, "input", "change");
}

function setChecked(control: HTMLInputElement, checked: boolean): void {
  const isChanged = control.checked !== checked;
  setProperty(control, "checked", checked);
  say(control, ...(isChanged ? ["input"] : []), "change");
}

/** Selects the options with these values, and no others. */
function setSelected(select: HTMLSelectElement, values: readonly unknown[]): void {
  const options = [...select.options].filter(({ value, selected }) => selected !== values.includes(value));
  for (const option of options) option.selected = !option.selected;
  if (options.length > 0) say(select, "input", "change");
}

/** React, for example, overrides an element's properties, and ignores events for values that were set through them. */
function setProperty(element: Element, property: string, value: unknown): void {
  Reflect.set(Object.getPrototypeOf(element) as object, property, value, element);
}

function say(control: Element, ...types: readonly string[]): void {
  for (const type of types) control.dispatchEvent(new Event(type, { bubbles: true, composed: type === "input" }));
}
