import type { JsonObject } from "../../../wire/index.ts";

const minutes = "([01][0-9]|2[0-3]):[0-5][0-9]";
const days = "[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}";

/** The schema of a field that is filled with text or a number. */
export function inputSchema(control: HTMLInputElement | HTMLTextAreaElement): JsonObject {
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

/** What may follow the minutes, by the step in seconds. */
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
  // Steps are counted from where they begin, multiples from zero. Binary fractions are never quite right.
  const isMultiple = Math.abs(steps - Math.round(steps)) < 1e-9 && Number.isFinite(step);
  return {
    type: "number",
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(isMultiple && { multipleOf: step }),
    ...(isRange ? {} : pattern(input)),
  };
}

/** Infinity where any value will do, as far as the type of the field allows that. */
function stepOf(input: HTMLInputElement, usual: number): number {
  const isAny = /^any$/i.test(input.step) && input.type !== "range";
  const step = numberIn(input, "step") ?? 0;
  return isAny ? Infinity : step > 0 ? step : usual;
}

/** A number as HTML writes it, without spaces and plus signs. */
function numberIn(input: HTMLInputElement, attribute: string): number | undefined {
  const text = input.getAttribute(attribute) ?? "";
  const number = /^-?(\d+|\d*\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Infinity;
  // Zero below zero is zero.
  return Number.isFinite(number) ? number + 0 : undefined;
}

/** Patterns that are none, browsers pass over. */
function pattern(input: HTMLInputElement): JsonObject {
  const source = input.getAttribute("pattern");
  try {
    return source === null || !RegExp(source, "v") ? {} : { pattern: source };
  } catch {
    return {};
  }
}
