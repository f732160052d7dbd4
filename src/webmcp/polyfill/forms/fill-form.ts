import { failure } from "../failure.ts";
import type { Parameter } from "./form-parameters.ts";
import { formParameters } from "./form-parameters.ts";
import { setChecked, setSelected, setValue } from "./set-control.ts";

type Fill = () => void;

/** Fills a form, in the order of the input: nothing of it, where one value will not do. */
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

/** What gives a parameter a value; undefined where it cannot have it. */
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

/** The values of a list, where all of them can be chosen. */
function listOf(value: unknown, choices: readonly { readonly value: string }[]): readonly unknown[] | undefined {
  const texts = Array.isArray(value) ? value.map(textOf) : undefined;
  return texts?.every((text) => choices.some((choice) => choice.value === text)) ? texts : undefined;
}

function textOf(value: unknown): string | undefined {
  return /string|number|boolean/.test(typeof value) ? `${value as string}` : undefined;
}

/** Whether a control keeps a text: of what is no choice, number or date it would make nothing. */
function takes(control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, text: string): boolean {
  if ("options" in control) return Array.from(control.options).some(({ value }) => value === text);
  const { type } = control;
  if (!/^(number|date|month|week|time|datetime-local)$/.test(type)) return true;
  const probe = Object.assign(document.createElement("input"), { type, value: text });
  return probe.value !== "" || (text === "" && type !== "number");
}
