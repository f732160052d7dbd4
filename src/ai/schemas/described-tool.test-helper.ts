// Schemas of tools with arguments that they describe, made together, so that the arguments are mostly valid.
import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import type { Json, JsonObject } from "../../wire/index.ts";

/** A schema, a value that it is made for, and the definitions that it refers to. */
interface Described<Value extends Json = Json> {
  readonly schema: Json;
  /** The same with the one alternative of each union around it that the value is made for. */
  readonly made: Json;
  readonly value: Value;
  readonly defs: JsonObject;
}

const leaf = (schema: Json, value: Json): Described => ({ schema, made: schema, value, defs: {} });

const leaves: Arbitrary<Described> = fc.oneof(
  fc.constantFrom(
    leaf({ type: "string", minLength: 1, maxLength: 5 }, "text"),
    leaf({ type: "string", pattern: "^(?!x)t" }, "text"),
    leaf({ type: "string", format: "uri" }, "https://example.com/"),
    leaf({ type: "string", format: "date" }, "2026-01-02"),
    leaf({ type: "integer", exclusiveMinimum: 0, multipleOf: 2 }, 4),
    leaf({ type: "number", minimum: 0, maximum: 9, default: 1 }, 0.5),
    leaf({ type: ["string", "null"] }, null),
    leaf({ type: ["string", "number", "boolean"] }, true),
    leaf({ enum: ["a", 1, null] }, null),
    leaf({ type: "integer", enum: [1, 2] }, 2),
    leaf({ const: { deep: [1] } }, { deep: [1] }),
    leaf({ not: { type: "string", pattern: "(?=a)" } }, "b"),
    leaf({ type: "array", uniqueItems: true, contains: { const: 1 } }, [1, 2]),
    leaf({ type: "array", items: { type: "string" }, minItems: 1 }, ["a"]),
    leaf(true, { any: "thing" }),
    leaf({}, 1),
  ),
  fc.constantFrom("a", "b", 1, false).map((value) => leaf({ const: value, title: "One" }, value)),
);

const names = fc.constantFrom("a", "b", "c", "x-d", "größe", "with space", "type", "properties", "$ref", "__proto__");
let definitions = 0;

const own = (schema: Json): JsonObject => (typeof schema === "object" ? (schema as JsonObject) : {});

function together(parts: readonly Described[]): JsonObject {
  return Object.assign({}, ...parts.map(({ defs }) => defs)) as JsonObject;
}

/** An object with these parts as its properties. */
function objectOf(part: Arbitrary<Described>, named: Arbitrary<string> = names): Arbitrary<Described<JsonObject>> {
  const entries = fc.uniqueArray(fc.tuple(named, part, fc.boolean(), fc.boolean()), {
    selector: ([name]) => name,
    maxLength: 4,
  });
  const more = fc.constantFrom<JsonObject>(
    {},
    { additionalProperties: false },
    { additionalProperties: { type: "number" } },
    { unevaluatedProperties: false },
    { patternProperties: { "^x-": true }, additionalProperties: false },
    { propertyNames: { maxLength: 20 }, minProperties: 0 },
    { dependentRequired: { nothing: ["a"] }, dependentSchemas: { nothing: false } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    { if: { required: ["nothing"] }, then: false, else: { maxProperties: 20 } },
  );
  return fc.tuple(entries, more, fc.boolean()).map(([list, rest, isTyped]) => {
    const schema = {
      ...(isTyped && { type: "object" }),
      properties: Object.fromEntries(list.map(([name, each]) => [name, each.schema])),
      required: list.filter(([, , isRequired]) => isRequired).map(([name]) => name),
      ...rest,
    };
    return { schema, made: schema, ...givenOf(list) };
  });
}

function givenOf(list: readonly [name: string, part: Described, isRequired: boolean, isGiven: boolean][]) {
  return {
    value: Object.fromEntries(
      list.filter(([, , isRequired, isGiven]) => isRequired || isGiven).map(([name, { value }]) => [name, value]),
    ),
    defs: together(list.map(([, each]) => each)),
  };
}

function unionOf<Value extends Json>(part: Arbitrary<Described<Value>>): Arbitrary<Described<Value>> {
  return fc
    .tuple(fc.constantFrom("oneOf", "anyOf"), fc.array(part, { minLength: 1, maxLength: 3 }), fc.nat())
    .map(([word, parts, which]) => {
      const { made, value } = parts[which % parts.length] as Described<Value>;
      return { schema: { [word]: parts.map(({ schema }) => schema) }, made, value, defs: together(parts) };
    });
}

function referred<Value extends Json>(part: Arbitrary<Described<Value>>): Arbitrary<Described<Value>> {
  return part.map(({ schema, made, value, defs }) => {
    const name = `d${definitions++}`;
    return {
      schema: { $ref: `#/$defs/${name}`, description: "Referred." },
      made,
      value,
      defs: { ...defs, [name]: schema },
    };
  });
}

function allOf(part: Arbitrary<Described<JsonObject>>): Arbitrary<Described<JsonObject>> {
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ({
    schema: { allOf: parts.map(({ schema }) => schema) },
    made: { allOf: parts.map(({ made }) => made) },
    value: Object.assign({}, ...parts.map(({ value }) => value)) as JsonObject,
    defs: together(parts),
  }));
}

/** A schema around another. */
function within(part: Arbitrary<Described>, around: (schema: Json) => JsonObject, of: (value: Json) => Json) {
  return part.map(({ schema, value, defs }) => ({
    schema: around(schema),
    made: around(schema),
    value: of(value),
    defs,
  }));
}

const { any } = fc.letrec<{ any: Described; object: Described<JsonObject> }>((tie) => ({
  object: objectOf(tie("any")),
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: leaves, weight: 4 },
    tie("object"),
    unionOf(tie("any")),
    referred(tie("any")),
    allOf(tie("object")),
    within(
      tie("any"),
      (items) => ({ type: "array", items }),
      (value) => [value, value],
    ),
    within(
      tie("any"),
      (first) => ({ type: "array", prefixItems: [first], items: false }),
      (value) => [value],
    ),
    within(
      tie("any"),
      (schema) => ({ ...own(schema), not: { const: "never such" } }),
      (value) => value,
    ),
  ),
}));

const object = objectOf(any);

/** Alternatives that speak of nothing else that is given: one that does not speak of an argument says nothing of its type. */
const alternatives = unionOf(objectOf(any, fc.constantFrom("u", "v", "w")));

/** A tool's schema, and arguments that fit it. */
export function describedTool(): Arbitrary<Readonly<Record<"schema" | "made" | "value", JsonObject>>> {
  const root = fc.oneof(
    object,
    unionOf(object),
    allOf(object),
    referred(object),
    unionOf(referred(object)),
    unionOf(unionOf(object)),
    allOf(fc.oneof(object, referred(object))),
    fc.tuple(allOf(object), alternatives).chain((parts) => allOf(fc.constantFrom(...parts))),
  );
  return fc
    .tuple(root, fc.constantFrom<JsonObject>({}, { type: "object" }, { not: { required: ["nothing"] } }))
    .map(([{ schema, made, value, defs }, more]) => ({
      schema: { ...more, ...own(schema), $defs: defs },
      made: { ...own(made), $defs: defs },
      value,
    }));
}
