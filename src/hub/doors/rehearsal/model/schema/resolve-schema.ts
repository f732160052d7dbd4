// Reads a JSON Schema as far as is needed to make values for it; whether they fit it, the validator says.
import { isJsonObject } from "../../../../../wire/index.ts";
import type { Json, JsonObject } from "../../../../../wire/index.ts";

/** How many references may lead to one another. */
const mostReferences = 16;

/** A schema with its references followed and its parts put together; undefined where nothing can satisfy it. */
export function resolveSchema(root: JsonObject, schema: Json | undefined, followed = 0): JsonObject | undefined {
  if (schema === false || followed > mostReferences) return undefined;
  if (!isJsonObject(schema)) return {};
  const { $ref, allOf, ...own } = schema;
  const parts: Json[] = [];
  if (typeof $ref === "string") parts.push(targetOf(root, $ref) ?? false);
  if (Array.isArray(allOf)) parts.push(...(allOf as readonly Json[]));
  let merged: JsonObject = own;
  for (const part of parts) {
    const resolved = resolveSchema(root, part, followed + 1);
    if (!resolved) return undefined;
    merged = merge(resolved, merged);
  }
  return merged;
}

/** What a reference inside the same schema points to. */
function targetOf(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith("#")) return undefined;
  let target: Json | undefined = root;
  for (const step of decodePointer(reference.slice(1)).split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(target)) target = (target as readonly Json[])[Number(name)];
    else target = isJsonObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}

function decodePointer(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Both schemas at once, as far as one object can say it. */
function merge(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...one, ...other };
  if (isJsonObject(one["properties"]) && isJsonObject(other["properties"])) {
    const properties: Record<string, Json> = { ...one["properties"] };
    for (const [name, schema] of Object.entries(other["properties"])) {
      const first = properties[name];
      properties[name] = isJsonObject(first) && isJsonObject(schema) ? { allOf: [first, schema] } : schema;
    }
    merged["properties"] = properties;
  }
  if (Array.isArray(one["required"]) && Array.isArray(other["required"]))
    merged["required"] = [...new Set([...namesIn(one["required"]), ...namesIn(other["required"])])];
  for (const bound of ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"])
    takeBound(merged, bound, [one[bound], other[bound], Math.max]);
  for (const bound of ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"])
    takeBound(merged, bound, [one[bound], other[bound], Math.min]);
  return merged;
}

type Bounds = readonly [Json | undefined, Json | undefined, (one: number, other: number) => number];

function takeBound(merged: Record<string, Json>, name: string, [one, other, choose]: Bounds): void {
  if (typeof one === "number" && typeof other === "number") merged[name] = choose(one, other);
}

export function namesIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((name) => typeof name === "string") : [];
}

export function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** The types that a schema allows; all where it does not say, unless its keywords are about one. */
export function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return namesIn(type);
  if ("properties" in schema || "required" in schema || "minProperties" in schema) return ["object"];
  if ("items" in schema || "prefixItems" in schema || "minItems" in schema) return ["array"];
  if ("minimum" in schema || "maximum" in schema || "multipleOf" in schema || "exclusiveMinimum" in schema)
    return ["number"];
  if ("minLength" in schema || "maxLength" in schema || "pattern" in schema || "format" in schema) return ["string"];
  return ["string", "number", "integer", "boolean", "null", "array", "object"];
}

/** The ways in which a schema may be satisfied, each with what holds for all of them. */
export function branchesOf(root: JsonObject, schema: JsonObject, followed = 0): readonly JsonObject[] {
  // One that is a branch of itself has no others.
  if (followed > mostReferences) return [];
  const { anyOf, oneOf, ...rest } = schema;
  const branches = [...listIn(anyOf), ...listIn(oneOf)];
  if (branches.length === 0) return [schema];
  return branches.flatMap((branch) => {
    const resolved = resolveSchema(root, branch);
    return resolved ? branchesOf(root, merge(rest, resolved), followed + 1) : [];
  });
}

/** Whether a keyword lists what is allowed, and which values then. */
export function valuesOf(schema: JsonObject): readonly Json[] | undefined {
  if ("const" in schema) return [schema["const"] ?? null];
  return Array.isArray(schema["enum"]) ? listIn(schema["enum"]) : undefined;
}
