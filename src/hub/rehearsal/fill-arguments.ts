// Fills a tool's parameters from a sentence. It evaluates no schema and no schema's pattern: the tool's own page or
// server validates the arguments.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { propertiesOf } from "./pick-tool.ts";
import { wordsOf } from "./words.ts";

export interface Filled {
  readonly arguments: JsonObject;
  /** The required parameters that the sentence does not contain. */
  readonly missing: readonly Parameter[];
}

export interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

export interface Sentence {
  readonly text: string;
  /** Today, as `2026-03-14`. */
  readonly today: string;
  /** The stem at the end of the tool's name: a text may follow it in the sentence. */
  readonly lastNameWord?: string | undefined;
}

const maxParameters = 64;
const maxValues = 20;

type Read = (parameter: Parameter, words: Words, sentence: Sentence) => Json | undefined;

export function fillArguments(schema: unknown, sentence: Sentence): Filled {
  const parameters = parametersOf(schema);
  const words = new Words(sentence.text);
  const given = new Map<string, Json>();
  // The most reliable readings first: no word is used for two parameters.
  for (const read of [readNamed, readDate, readQuoted, readNumber, readListed, readBoolean, readText] satisfies Read[])
    for (const parameter of parameters) {
      if (given.has(parameter.name)) continue;
      const value = read(parameter, words, sentence);
      if (value !== undefined) given.set(parameter.name, value);
    }
  for (const { name, schema: own, isRequired } of parameters)
    if (isRequired && !given.has(name) && own["default"] !== undefined) given.set(name, own["default"]);
  const missing = parameters.filter(({ name, isRequired }) => isRequired && !given.has(name));
  const inOrder = parameters.flatMap(({ name }) => (given.has(name) ? [[name, given.get(name) ?? null] as const] : []));
  return { arguments: Object.fromEntries(inOrder), missing };
}

function parametersOf(schema: unknown): readonly Parameter[] {
  const required: unknown = isJsonObject(schema) ? schema["required"] : undefined;
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  return propertiesOf(schema)
    .slice(0, maxParameters)
    .map(([name, own]) => ({ name, schema: isJsonObject(own) ? alternativeOf(own) : {}, isRequired: names.has(name) }));
}

/** The non-null alternative of a nullable schema. */
function alternativeOf(schema: JsonObject): JsonObject {
  const alternatives = (schema["anyOf"] ?? schema["oneOf"]) as Json | undefined;
  if (!Array.isArray(alternatives)) return schema;
  return (alternatives as readonly Json[]).filter(isJsonObject).find(({ type }) => type !== "null") ?? schema;
}

/** The words of a sentence that no parameter has used yet. */
class Words {
  #left: string;

  constructor(text: string) {
    this.#left = text;
  }

  /** Removes the first match from the sentence; returns its first group, or the whole match. */
  take(pattern: RegExp): string | undefined {
    const match = pattern.exec(this.#left);
    if (!match) return undefined;
    const { 0: whole, index } = match;
    this.#left = this.#left.slice(0, index) + taken.repeat(whole.length) + this.#left.slice(index + whole.length);
    return (match.slice(1).find((group) => group !== undefined) ?? whole).trim();
  }
}

const taken = "¦";
const number = String.raw`-?\d[\d,]*(?:\.\d+)?`;
const before = String.raw`(?<![\p{L}\p{N}.-])`;
const after = String.raw`(?![\p{L}\p{N}])`;

/** `width: 30` or `width = 30`; for a tool such as `add_note` also `Add a note: …`. */
function readNamed(
  { name, schema, isRequired }: Parameter,
  words: Words,
  { lastNameWord }: Sentence,
): Json | undefined {
  if (isNumeric(schema)) return undefined;
  const end = isOf(schema, "array") ? "" : ",";
  const value =
    words.take(pattern(String.raw`${nameIn(name)}\s*(?:=|:)\s*("[^"]+"|[^;¦\n${end}]*[^,;¦\n.!?\s])`)) ??
    (isText(schema) && isRequired && lastNameWord !== undefined
      ? words.take(pattern(String.raw`${nameIn(lastNameWord)}:\s+([^\n¦]*[^\n¦.!?\s])`))
      : undefined);
  return value === undefined ? undefined : valueOf(value.replaceAll('"', ""), schema);
}

function valueOf(text: string, schema: JsonObject): Json | undefined {
  const { type } = schema;
  if (isOf(schema, "array"))
    return text.split(/\s*,\s*|\s+and\s+/).map((item) => valueOf(item, itemsOf(schema)) ?? item);
  if (isNumeric(schema)) return Number.isFinite(numberIn(text)) ? numberIn(text) : undefined;
  if (type === "boolean") return /^(?:true|yes|on)$/i.test(text);
  return type === "object" ? undefined : text;
}

function itemsOf({ items }: JsonObject): JsonObject {
  return isJsonObject(items) ? items : {};
}

const day = 86_400_000;

function readDate({ name, schema: { format } }: Parameter, words: Words, { today }: Sentence): Json | undefined {
  if (format === "email" || /email/i.test(name)) return words.take(/[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/);
  if (format === "uri" || /^ur[il]$/i.test(name)) return words.take(/https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)]/);
  if (format === "date-time") return words.take(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)?/);
  if (format !== "date") return undefined;
  const date = words.take(/(?:\b(?:on|by|until|since)\s+)?(\d{4}-\d\d-\d\d)/);
  if (date !== undefined) return date;
  const distance = ["yesterday", "today", "tomorrow"].indexOf(
    words.take(/\b(?:yesterday|today|tomorrow)\b/i)?.toLowerCase() ?? "",
  );
  return distance < 0 ? undefined : new Date(Date.parse(today) + (distance - 1) * day).toISOString().slice(0, 10);
}

function readQuoted({ schema }: Parameter, words: Words): Json | undefined {
  return isText(schema) ? words.take(/"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`/) : undefined;
}

const daysIn: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, quarter: 90, year: 365 };
const units = Object.keys(daysIn).join("|");

function readNumber({ name, schema, isRequired }: Parameter, words: Words): Json | undefined {
  if (!isNumeric(schema)) return undefined;
  if (/^days?$/i.test(name)) {
    const span = words.take(
      pattern(
        String.raw`(\b(?:last|past|next|this)\s+(?:${number}\s+)?(?:${units})|${number}\s+(?:${units}))s?${after}`,
      ),
    );
    const unit = span?.split(/\s+/).at(-1)?.toLowerCase() ?? "";
    if (span !== undefined) return (/\d/.test(span) ? numberIn(span.replace(/^\D+/, "")) : 1) * (daysIn[unit] ?? 1);
  }
  const own = nameIn(name);
  const count = /limit|count|max|top|size/i.test(name) ? "|top|first|at most" : "";
  const found =
    words.take(pattern(String.raw`(${number})\s*${own}`)) ??
    words.take(pattern(String.raw`(?:${own}${count})\s*(?:of|is|to|=|:)?\s*(${number})${after}`)) ??
    (isRequired || schema["enum"]
      ? words.take(pattern(String.raw`(${number})${after}(?!\s*(?:${units}))`))
      : undefined);
  return found === undefined ? undefined : numberIn(found);
}

function numberIn(text: string): number {
  return Number.parseFloat(text.replaceAll(",", ""));
}

function readListed({ name, schema }: Parameter, words: Words): Json | undefined {
  const listed = Array.isArray(schema["enum"]) ? (schema["enum"] as readonly Json[]).slice(0, maxValues) : [];
  const texts = listed.filter((value) => typeof value === "string" && value !== "") as readonly string[];
  const longestFirst = texts.toSorted((one, other) => other.length - one.length);
  for (const lead of [String.raw`\b(?:by|per|each)\s+`, ""])
    for (const value of longestFirst)
      if (words.take(pattern(lead + phraseIn(wordsOf(value)))) !== undefined) return value;
  const clearing = String.raw`\b(?:clear|reset|no|any)\b.*?${nameIn(name)}`;
  return listed.includes(null) && words.take(pattern(clearing)) !== undefined ? null : undefined;
}

function readBoolean({ name, schema }: Parameter, words: Words): Json | undefined {
  if (schema["type"] !== "boolean") return undefined;
  const plain = nameIn(name.replace(/^(?:is|has|with|include)(?=[A-Z_])_?/, ""));
  if (words.take(pattern(String.raw`\b(?:no|not|without)\s+${plain}`)) !== undefined) return false;
  return words.take(pattern(plain)) === undefined ? undefined : true;
}

const phraseEnd = String.raw`(?=\s*(?:[,;:!?¦\n]|\.(?:\s|$)|$)|\s+(?:in|at|for|from|to|by|with|on|and|or|then|please|today|tomorrow|yesterday|now)\b)`;
const leads: readonly (readonly [RegExp, string])[] = [
  [/^(?:from|origin|source)$/i, "from"],
  [/^(?:to|destination|recipient|target)$/i, "to"],
  [/text|message|note|body|content|comment/i, "saying|that|about"],
];

function readText({ name, schema, isRequired }: Parameter, words: Words, { lastNameWord }: Sentence): Json | undefined {
  if (!isText(schema)) return undefined;
  const isId = /(?:id|code|key|number)$/i.test(name);
  const id = isId ? words.take(/(?<![\p{L}\p{N}])(?=[\p{L}_-]*\d)[\p{L}\p{N}_-]+/u) : undefined;
  const lead = leads.find(([names]) => names.test(name))?.[1] ?? "in|at|near|for|from|to|about|named|called|titled";
  const isLong = lead.startsWith("saying");
  const led = (value: string) => words.take(new RegExp(String.raw`\b(?:${lead})\s+(?:the\s+)?(${value})`, "iu"));
  if (id !== undefined || isId) return id;
  if (isLong || isRequired) {
    const found = led(isLong ? String.raw`[^\n¦]*[^\n¦.!?\s]` : String.raw`[^\s¦][^\n¦]*?${phraseEnd}`);
    if (found !== undefined) return found;
  }
  // Capitalized words, but not the sentence's first word alone.
  const proper = String.raw`\p{Lu}[\p{L}'’-]*`;
  const named = words.take(new RegExp(String.raw`(?<=\s)${proper}(?:\s${proper})*|^${proper}(?:\s${proper})+`, "u"));
  if (named !== undefined || !isRequired || lastNameWord === undefined) return named;
  return words.take(pattern(String.raw`\b${lastNameWord}\p{L}*\s+((?!in\b|at\b|to\b|for\b|with\b)[^¦\n]*[^¦\n.!?\s])`));
}

/** A name as a pattern of words: `orderIds` as `order id`. */
function nameIn(name: string): string {
  return phraseIn(wordsOf(name.slice(0, 64)).map((word) => word.replace(/s$/, "")));
}

/** Words as a pattern that matches the last one in singular and plural. */
function phraseIn(words: readonly string[]): string {
  return words.length === 0 ? "(?!)" : String.raw`${before}${words.join(String.raw`[\s_-]*`)}s?${after}`;
}

function pattern(source: string): RegExp {
  return new RegExp(source, "iu");
}

function isOf({ type }: JsonObject, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && (type as readonly Json[]).includes(wanted));
}

function isNumeric(schema: JsonObject): boolean {
  const listed = schema["enum"];
  if (Array.isArray(listed)) return (listed.slice(0, maxValues) as Json[]).some((value) => typeof value === "number");
  return isOf(schema, "integer") || isOf(schema, "number");
}

function isText(schema: JsonObject): boolean {
  return isOf(schema, "string") && schema["enum"] === undefined;
}
