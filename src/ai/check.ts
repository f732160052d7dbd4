/**
 * The expected type of each field: a kind, a type of the language, or one of some words. Only fields that are
 * `required` must not be undefined.
 */
export type Rules = Readonly<Record<string, string>>;

/** The allowed values, worded for the error message. */
const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  "a plain object": isPlain,
  "an array": Array.isArray,
  "an array of strings": (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  "an AbortSignal": (value) => isPlain(value) && typeof value["addEventListener"] === "function",
  "a finite number": Number.isFinite,
  "a number of zero or more": (value) => Number.isFinite(value) && Number(value) >= 0,
  "an integer": Number.isInteger,
  "an integer of zero or more": (value) => Number.isInteger(value) && Number(value) >= 0,
  "a positive integer": (value) => Number.isInteger(value) && Number(value) > 0,
  "a string or an array": (value) => typeof value === "string" || Array.isArray(value),
  "an http(s): or data: URL": (value) => /^(https?|data):/i.test(String(value)),
};

/** Throws for the first field of a wrong type. `where` is a prefix for the names of fields. */
export function check(value: unknown, where: string, { required = "", ...rules }: Rules): void {
  if (!isPlain(value)) throw wrong(where.slice(0, -1) || "options", "a plain object", value);
  for (const [must, names] of Object.entries(rules)) {
    for (const name of names.split(" ")) {
      const field = value[name];
      if (field === undefined ? isAmong(required, name) : !isA(must, field)) throw wrong(where + name, must, field);
    }
  }
}

export function checkEach(items: unknown, where: string, rules: Rules): void {
  if (!Array.isArray(items)) throw wrong(where, "an array", items);
  for (const [index, item] of items.entries()) check(item, `${where}[${index}].`, rules);
}

export function wrong(name: string, must: string, value: unknown): Error {
  const got = Array.isArray(value) ? "an array" : isPlain(value) ? "an object" : String(value);
  return new Error(`${name} must be ${must}, got ${got}.`);
}

export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isA(must: string, value: unknown): boolean {
  return (
    kinds[must]?.(value) ??
    (must === `a ${typeof value}` || (must.startsWith("one of ") && isAmong(must.slice(7), value)))
  );
}

function isAmong(words: string, value: unknown): boolean {
  return words.split(/,? /).includes(value as string);
}
