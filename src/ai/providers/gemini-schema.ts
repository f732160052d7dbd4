import { isPlain } from "../check.ts";
import { listOf } from "./read.ts";

const ownKeywords = /^(title|description|default|nullable|pattern|required|m(in|ax)(imum|Items|Length|Properties))$/;

/**
 * Whether Gemini's own schema format, which has fewer keywords, can express it; others are sent as JSON Schema in
 * another field.
 */
export function isGeminiSchema(schema: unknown): boolean {
  if (!isPlain(schema)) return false;
  const { type, enum: values, properties, items, anyOf, ...rest } = schema;
  const parts = Object.values(properties ?? {});
  return (
    (type !== "object" || parts.length > 0) &&
    (type !== "array" || isPlain(items)) &&
    [anyOf ? "" : type, ...listOf(values)].every((value) => typeof value === "string") &&
    [...parts, ...(items ? [items] : []), ...listOf(anyOf)].every(isGeminiSchema) &&
    Object.keys(rest).every((name) => ownKeywords.test(name))
  );
}
