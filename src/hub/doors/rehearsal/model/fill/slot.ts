import { isJsonObject } from "../../../../../wire/index.ts";
import type { Json, JsonObject } from "../../../../../wire/index.ts";
import { branchesOf, typesOf, valuesOf } from "../schema/resolve-schema.ts";
import { satisfies } from "../schema/sample.ts";
import type { Sampling } from "../schema/sample.ts";
import type { Reading } from "../read-sentence.ts";
import type { Span } from "../span.ts";
import { stemsOf, stemsOfName } from "../words.ts";

/** A place in the arguments that one value goes to: no object, but perhaps an array of plain values. */
export interface Slot {
  readonly path: readonly (string | number)[];
  readonly schema: JsonObject;
  readonly branches: readonly JsonObject[];
  readonly types: ReadonlySet<string>;
  /** The words of its name, and of its description. */
  readonly name: readonly string[];
  readonly about: ReadonlySet<string>;
  readonly description: string;
  readonly required: boolean;
}

/** A value for a slot, how sure it is, and the words that it was made from. */
export interface Candidate {
  readonly value: Json;
  readonly score: number;
  readonly spans: readonly Span[];
}

/** What the candidates for a slot are found in. */
export interface Search {
  readonly slot: Slot;
  readonly reading: Reading;
  readonly sampling: Sampling;
  /** The words of the tool's name: they ask for it, and are no arguments. */
  readonly called: ReadonlySet<string>;
}

export interface SlotPlace {
  readonly path: Slot["path"];
  readonly required: boolean;
  readonly sampling: Sampling;
}

export function createSlot(schema: JsonObject, { path, required, sampling }: SlotPlace): Slot {
  const branches = branchesOf(sampling.root, schema);
  const name = path.findLast((step) => typeof step === "string") ?? "";
  const { description, title } = schema;
  const described = [title, description].filter((text) => typeof text === "string").join(" ");
  return {
    path,
    schema,
    branches,
    types: new Set(
      branches.flatMap((branch) =>
        (valuesOf(branch) ?? []).map(typeOf).concat(valuesOf(branch) ? [] : typesOf(branch)),
      ),
    ),
    name: stemsOfName(name),
    about: new Set(stemsOf(described)),
    description: described,
    required,
  };
}

/** Whether a word of the slot's name, or else of its description, is one of these. */
export function isAbout({ name, about }: Slot, words: ReadonlySet<string>): boolean {
  return name.some((stem) => words.has(stem)) || [...about].some((stem) => words.has(stem));
}

export function isNamed({ name }: Slot, words: ReadonlySet<string>): boolean {
  return name.some((stem) => words.has(stem));
}

export function fits(value: Json, { slot, sampling }: Search): boolean {
  return satisfies(value, slot.schema, sampling);
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return isJsonObject(value) ? "object" : typeof value;
}
