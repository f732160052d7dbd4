// Whether a vendor takes a schema as it is: a quick look that is right when it says so. Most schemas need no more.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { isPythonPattern, types } from "./schema-rules.ts";
import type { SchemaRule } from "./schema-rules.ts";

const maxDepth = 24;

export function isFine(schema: Json | undefined, rule: SchemaRule, depth = 0): boolean {
  if (!isJsonObject(schema) || depth > maxDepth || (depth === 0 && schema["type"] !== "object")) return false;
  for (const keyword in schema) if (!isFineWord(schema, keyword, { rule, depth })) return false;
  return true;
}

interface Place {
  readonly rule: SchemaRule;
  readonly depth: number;
}

function isFineWord(schema: JsonObject, keyword: string, { rule, depth }: Place): boolean {
  const value = schema[keyword];
  const isFinePart = (part: Json | undefined) => isFine(part, rule, depth + 1);
  switch (keyword) {
    case "type":
      return types.includes(value) && (value !== "array" || schema["items"] !== undefined);
    case "title":
    case "description":
      return typeof value === "string";
    case "properties":
      return isJsonObject(value) && areFine(value, { rule, depth });
    case "required":
      return Array.isArray(value) && value.every((name) => typeof name === "string");
    case "items":
      return isFinePart(value);
    case "additionalProperties":
      return typeof value === "boolean" || isFinePart(value);
    case "anyOf":
      return depth > 0 && Array.isArray(value) && value.length > 0 && value.every(isFinePart);
    case "enum":
      return depth > 0 && schema["type"] === "string" && areTexts(value);
    case "minimum":
    case "maximum":
      return typeof value === "number";
    case "minItems":
    case "maxItems":
      return isCount(value);
    case "format":
      return typeof value === "string" && (!rule.formats || rule.formats.has(value));
    default:
      return !rule.keywords && isFineElsewhere(keyword, value, rule);
  }
}

/** Of vendors that take more of JSON Schema. */
function isFineElsewhere(keyword: string, value: Json | undefined, { isPython }: SchemaRule): boolean {
  if (keyword === "minLength" || keyword === "maxLength") return isCount(value);
  if (keyword === "pattern") return typeof value === "string" && (!isPython || isPythonPattern(value));
  if (keyword === "$schema") return typeof value === "string" && !value.includes("draft-0");
  return keyword === "default";
}

function areFine(properties: JsonObject, { rule, depth }: Place): boolean {
  for (const name in properties) {
    if (depth === 0 && rule.names && !rule.names.test(name)) return false;
    if (!isFine(properties[name], rule, depth + 1)) return false;
  }
  return true;
}

function areTexts(values: Json | undefined): boolean {
  return Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string");
}

function isCount(value: Json | undefined): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}
