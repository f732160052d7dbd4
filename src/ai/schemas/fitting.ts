// The work on one schema: its limits, what was changed, and what could not be said otherwise than in words.
import { isJsonObject, plainText } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { jsonOf } from "./merge-schemas.ts";
import type { SchemaRule } from "./schema-rules.ts";

/**
 * Pages write schemas, and may mean harm: no schema costs more than this. References may double what there is: what they, `allOf`
 * and unions put together counts as merges, by its length.
 */
export const most = { parts: 4000, merges: 16_000, depth: 48, references: 32 };

/** The characters of JSON that count as one. */
const charactersAtOnce = 32;

const mostWords = 8000;
const mostWordsAtOnce = 600;
const mostChanges = 20;

export interface Fitting {
  readonly root: JsonObject;
  readonly rule: SchemaRule;
  /** Whether a part with a reference may have become wider: what holds only because the part is narrow is then left out. */
  readonly isCautious: boolean;
  /** By the older drafts, in which nothing counts beside a reference. */
  readonly isOld: boolean;
  /** The changes, in words for the tool's developer. */
  readonly changes: Set<string>;
  readonly limits: Readonly<Record<"parts" | "merges", number>>;
  readonly left: { parts: number; merges: number; words: number };
  /** The lengths of what was counted before. */
  readonly lengths: Map<object, number>;
  changed: number;
  /** Whether it was written otherwise without a change of what it says. */
  isOther: boolean;
  keepsReferences: boolean;
}

export function beginFitting(
  root: JsonObject,
  rule: SchemaRule,
  { mostWork, isCautious = false }: { readonly mostWork: number; readonly isCautious?: boolean },
): Fitting {
  const { $schema } = root;
  const limits = { parts: Math.min(most.parts, mostWork), merges: Math.min(most.merges, mostWork) };
  return {
    root,
    rule,
    isCautious,
    isOld: typeof $schema === "string" && /draft-0\d/.test($schema),
    changes: new Set(),
    limits,
    left: { ...limits, words: mostWords },
    lengths: new Map(),
    changed: 0,
    isOther: false,
    keepsReferences: false,
  };
}

/** Counts schemas that are about to be put together; false where that is more than the limit. */
export function countMerge({ left, lengths }: Fitting, ...schemas: readonly Json[]): boolean {
  for (const schema of schemas) {
    if (left.merges < 0) break;
    const length = lengths.get(Object(schema)) ?? jsonOf(schema).length;
    if (isJsonObject(schema)) lengths.set(schema, length);
    left.merges -= 1 + Math.floor(length / charactersAtOnce);
  }
  return left.merges >= 0;
}

/** Notes a change: at which place of the schema, and what it became. */
export function noteChange(
  fitting: Fitting,
  { what, place, became }: Readonly<Record<"what" | "place" | "became", string>>,
) {
  fitting.changed++;
  if (fitting.changes.size < mostChanges) fitting.changes.add(`${what} at ${place || "the top"}: ${became}`);
}

/** A part of the schema that is being fitted. */
export interface Part {
  readonly place: string;
  /** The references that lead here. */
  readonly open: readonly string[];
  readonly depth: number;
  /** Whether it is below an `$id`, so that its references mean something else. */
  readonly isForeign?: boolean;
  /** Whether it is, or becomes, the whole. */
  readonly isTop?: boolean;
}

export const top: Part = { place: "", open: [], depth: 0, isTop: true };

/** Keywords that were left out, with their values. */
export type Lost = [keyword: string, value: Json][];

/** Adds what could not be said otherwise to the description. */
export function withWords(schema: JsonObject, lost: Lost, fitting: Fitting): JsonObject {
  const words = wordsFor(lost, fitting);
  if (words === "") return schema;
  const { description } = schema;
  return { ...schema, description: typeof description === "string" ? `${description} ${words}` : words };
}

/** The parts that were left out, as JSON Schema: models read it. */
export function wordsFor(lost: Lost, { left }: Fitting): string {
  if (lost.length === 0 || left.words <= 0) return "";
  let text = "";
  for (const [keyword, value] of lost) {
    if (text.length > mostWordsAtOnce) break;
    text += `${text && ","}${JSON.stringify(keyword)}:${shortened(jsonOf(value))}`;
  }
  const shown = plainText(shortened(text)).slice(0, left.words);
  left.words -= shown.length;
  return `JSON Schema: {${shown}}`;
}

function shortened(text: string): string {
  return text.length > mostWordsAtOnce ? `${text.slice(0, mostWordsAtOnce)}…` : text;
}
