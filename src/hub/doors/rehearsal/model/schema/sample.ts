// Makes a value that satisfies a schema, the same one each time: for what must be answered whatever the sentence says.
import { isJsonObject } from "../../../../../wire/index.ts";
import type { Json, JsonObject } from "../../../../../wire/index.ts";
import type { ValidateJson } from "../../../../../toolbox/index.ts";
import { branchesOf, listIn, namesIn, resolveSchema, typesOf, valuesOf } from "./resolve-schema.ts";
import { sampleText } from "./sample-text.ts";

export interface Sampling {
  readonly root: JsonObject;
  readonly validate: ValidateJson;
  readonly today: string;
}

export interface SampleOptions {
  /** What the value is called, for a text that says so. */
  readonly name?: string;
  /** Another value for each number, where there are others. */
  readonly variant?: number;
  readonly depth?: number;
}

const deepest = 24;
/** How many items or properties are made because a schema demands them. */
const most = 64;

/** A value for a schema; undefined where none was found. */
export function sample(schema: Json, sampling: Sampling, options: SampleOptions = {}): Json | undefined {
  const { depth = 0 } = options;
  const resolved = depth > deepest ? undefined : resolveSchema(sampling.root, schema);
  if (!resolved) return undefined;
  for (const branch of branchesOf(sampling.root, resolved)) {
    for (const value of samplesOf(branch, sampling, options))
      if (value !== undefined && satisfies(value, resolved, sampling)) return value;
  }
  // Where there is only one value, it is its own variant.
  return options.variant ? sample(schema, sampling, { ...options, variant: 0 }) : undefined;
}

/** Whether a value satisfies a part of the root's schema. */
export function satisfies(value: Json, schema: JsonObject, { root, validate }: Sampling): boolean {
  const { $defs, definitions } = root;
  const whole = { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }), ...schema };
  try {
    return validate(schema === root ? root : whole, value).length === 0;
  } catch {
    // A schema that cannot be used is satisfied by nothing.
    return false;
  }
}

function* samplesOf(schema: JsonObject, sampling: Sampling, options: SampleOptions): Generator<Json | undefined> {
  const { variant = 0 } = options;
  if ("default" in schema && variant === 0) yield schema["default"];
  const values = valuesOf(schema);
  if (values) {
    yield* [...values.slice(variant % Math.max(1, values.length)), ...values];
    return;
  }
  yield* listIn(schema["examples"]).slice(variant, variant + 1);
  for (const type of typesOf(schema)) yield* samplesOfType(type, schema, { sampling, options });
}

interface Place {
  readonly sampling: Sampling;
  readonly options: SampleOptions;
}

function* samplesOfType(type: string, schema: JsonObject, place: Place): Generator<Json | undefined> {
  const { name = "value", variant = 0 } = place.options;
  if (type === "string") yield* sampleText(schema, { name, variant, today: place.sampling.today });
  if (type === "integer" || type === "number")
    for (const number of sampleNumbers(schema, type === "integer", variant)) if (Number.isFinite(number)) yield number;
  if (type === "boolean") yield* [variant % 2 !== 0, variant % 2 === 0];
  if (type === "null") yield null;
  if (type === "array") yield sampleArray(schema, place);
  if (type === "object") yield sampleObject(schema, place);
}

function* sampleNumbers(schema: JsonObject, isInteger: boolean, variant: number): Generator<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const least = largest([minimum, exclusiveMinimum]);
  const top = largest([maximum, exclusiveMaximum].map((bound) => (typeof bound === "number" ? -bound : bound)));
  const step = typeof multipleOf === "number" && multipleOf > 0 ? multipleOf : 1;
  const start = least ?? (top === undefined ? 1 : Math.min(1, -top));
  const even = Math.ceil(start / step) * step;
  // After the multiples, what lies between narrow bounds of fractions.
  yield* [even + variant * step, even + (variant + 1) * step, even - variant * step, even - (variant + 1) * step, 0];
  if (isInteger) return;
  yield start + variant;
  if (least !== undefined && top !== undefined) yield least + ((-top - least) * (variant + 1)) / (variant + 2);
}

function largest(bounds: readonly (Json | undefined)[]): number | undefined {
  const numbers = bounds.filter((bound) => typeof bound === "number");
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

function sampleArray(schema: JsonObject, { sampling, options }: Place): Json | undefined {
  const { prefixItems, items, minItems, contains } = schema;
  const tuple = listIn(prefixItems);
  const needed = Math.max(typeof minItems === "number" ? minItems : 0, contains === undefined ? 0 : 1);
  if (needed > most) return undefined;
  const values: Json[] = [];
  for (let at = 0; at < needed; at++) {
    const own =
      tuple[at] ?? (contains !== undefined && at === tuple.length ? { allOf: [contains, items ?? {}] } : items);
    const variant = at + (options.variant ?? 0);
    const value = sample(own ?? {}, sampling, { ...options, variant, depth: (options.depth ?? 0) + 1 });
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function sampleObject(schema: JsonObject, { sampling, options }: Place): Json | undefined {
  const { properties, required, minProperties, additionalProperties } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const names = new Set(namesIn(required));
  const least = Math.min(most, typeof minProperties === "number" ? minProperties : 0);
  for (const name of Object.keys(known)) if (names.size < least) names.add(name);
  for (let at = 1; names.size < least; at++) names.add(`property${at}`);
  if (names.size > most * 4) return undefined;
  const value: Record<string, Json> = Object.create(null) as Record<string, Json>;
  for (const name of names) {
    const own = Object.hasOwn(known, name) ? known[name] : additionalProperties;
    const found = sample(own ?? {}, sampling, { ...options, name, depth: (options.depth ?? 0) + 1 });
    if (found === undefined) return undefined;
    value[name] = found;
  }
  return Object.fromEntries(Object.entries(value));
}
