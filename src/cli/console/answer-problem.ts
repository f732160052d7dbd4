import type { Json, JsonObject } from "../../wire/index.ts";

/** What keeps a value from being an answer to a field of this schema, as a sentence; undefined if nothing does. */
export function answerProblem(value: Json, schema: JsonObject): string | undefined {
  if (typeof value === "number") return sizeProblem(value, schema, numberBounds);
  if (Array.isArray(value)) return sizeProblem(value.length, schema, listBounds);
  if (typeof value !== "string") return undefined;
  const { format } = schema;
  const form = typeof format === "string" && Object.hasOwn(forms, format) ? forms[format] : undefined;
  if (form !== undefined && !form.fits(value)) return form.problem;
  return sizeProblem(Array.from(value).length, schema, textBounds);
}

interface Bounds {
  readonly least: string;
  readonly most: string;
  say(bound: string): string;
}

const numberBounds: Bounds = { least: "minimum", most: "maximum", say: (bound) => `This must be ${bound}.` };
const textBounds: Bounds = {
  least: "minLength",
  most: "maxLength",
  say: (bound) => `This must have ${bound} characters.`,
};
const listBounds: Bounds = { least: "minItems", most: "maxItems", say: (bound) => `Choose ${bound}.` };

function sizeProblem(size: number, schema: JsonObject, { least, most, say }: Bounds): string | undefined {
  const { [least]: lower, [most]: upper } = schema;
  if (typeof lower === "number" && size < lower) return say(`at least ${lower}`);
  return typeof upper === "number" && size > upper ? say(`at most ${upper}`) : undefined;
}

interface Form {
  fits(text: string): boolean;
  readonly problem: string;
}

/** The formats that a question's text may have. */
const forms: Readonly<Record<string, Form>> = {
  email: {
    fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
    problem: "This must be an e-mail address.",
  },
  uri: { fits: (text) => URL.canParse(text), problem: "This must be an address, such as https://shop.example." },
  date: {
    fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(text),
    problem: "This must be a date, such as 2026-02-28.",
  },
  "date-time": {
    fits: (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && isTime(text),
    problem: "This must be a date and a time, such as 2026-02-28T12:30:00Z.",
  },
};

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
