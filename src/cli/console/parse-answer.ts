import { isJsonObject, parseUrl } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

/** Checks a value against a field's schema; returns the problem as a sentence, or undefined. */
function answerProblem(value: Json, schema: JsonObject): string | undefined {
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
  uri: {
    fits: (text) => parseUrl(text) !== undefined,
    problem: "This must be an address, such as https://shop.example.",
  },
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

/** One field of a page's question, as described by an elicitation's flat schema. */
export interface QuestionField {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly fallback: Json | undefined;
  /** The allowed values, where they are a closed list. */
  readonly choices: readonly string[] | undefined;
  readonly type: "string" | "number" | "integer" | "boolean" | "list";
  /** The field's own schema, for further checks. */
  readonly schema: JsonObject;
}

/** A value for a field, or why the text is none. */
export type FieldAnswer = { readonly value: Json | undefined } | { readonly problem: string };

type GivenAnswer = { readonly value: Json } | { readonly problem: string };

/** The fields of a question, in the order of its schema. */
export function questionFields(parameters: JsonObject): readonly QuestionField[] {
  const schema = parameters["requestedSchema"];
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return [];
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(schema["properties"]).map(([name, property]) => {
    const about = isJsonObject(property) ? property : {};
    const { title, description, default: fallback, type, items } = about;
    return {
      name,
      title: typeof title === "string" ? title : name,
      description: typeof description === "string" ? description : undefined,
      isRequired: required.includes(name),
      fallback,
      choices: choicesOf(type === "array" ? items : about),
      type: type === "array" ? "list" : isSimple(type) ? type : "string",
      schema: about,
    };
  });
}

function isSimple(type: unknown): type is "number" | "integer" | "boolean" {
  return type === "number" || type === "integer" || type === "boolean";
}

function choicesOf(schema: Json | undefined): readonly string[] | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { enum: values, oneOf, anyOf } = schema;
  const titled = [oneOf, anyOf].find((list) => Array.isArray(list)) as readonly Json[] | undefined;
  const list = Array.isArray(values) ? values : titled?.map((each) => (isJsonObject(each) ? each["const"] : undefined));
  return list?.every((each) => typeof each === "string") === true ? list : undefined;
}

export function parseAnswer(field: QuestionField, text: string): FieldAnswer {
  const given = text.trim();
  if (given === "")
    return field.isRequired && field.fallback === undefined
      ? { problem: "This is needed." }
      : { value: field.fallback };
  const answer = read(field, given);
  const problem = "problem" in answer ? undefined : answerProblem(answer.value, field.schema);
  return problem === undefined ? answer : { problem };
}

function read({ type, choices }: QuestionField, given: string): GivenAnswer {
  switch (type) {
    case "boolean":
      return readBoolean(given);
    case "number":
    case "integer":
      return readNumber(given, type === "integer");
    case "list":
      return readAll(
        given.split(",").map((each) => each.trim()),
        choices,
      );
    case "string":
      return choices === undefined ? { value: given } : readChoice(given, choices);
  }
}

function readBoolean(text: string): GivenAnswer {
  if (/^(y|yes|true)$/i.test(text)) return { value: true };
  return /^(n|no|false)$/i.test(text) ? { value: false } : { problem: "Answer with yes or no." };
}

function readNumber(text: string, isWhole: boolean): GivenAnswer {
  const value = Number(text);
  if (Number.isFinite(value) && (!isWhole || Number.isInteger(value))) return { value };
  return { problem: isWhole ? "This must be a whole number." : "This must be a number." };
}

/** A choice, by its word or by its number in the list. */
function readChoice(text: string, choices: readonly string[]): GivenAnswer {
  const value = choices.includes(text) ? text : choices[Number(text) - 1];
  return value === undefined ? { problem: `Choose one of: ${choices.join(", ")}.` } : { value };
}

function readAll(texts: readonly string[], choices: readonly string[] | undefined): GivenAnswer {
  if (choices === undefined) return { value: texts };
  const answers = texts.map((text) => readChoice(text, choices));
  const wrong = answers.find((answer) => "problem" in answer);
  return wrong ?? { value: answers.map((answer) => ("value" in answer ? (answer.value as string) : "")) };
}
